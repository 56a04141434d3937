import { Skeleton, useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';

import { FOOT, TOP, yOf } from './DayBars';
import { type ChartProps, Frame, HEIGHT } from './Frame';
import { useFormats } from './formats';
import { notesOf } from './notes';
import { type ChartMark, Overlays, type Threshold } from './Overlays';
import { axisWidth, indexAt, scaleOf } from './scale';
import { withGaps } from './series';
import { ShowAll } from './ShowAll';
import { Surface } from './Surface';
import { useShared } from './sync';
import { useWidth } from './useWidth';
import { useZoom } from './useZoom';
import { visibleIn } from './zoom';

const Lines = lazy(() => import('./Lines'));
const RIGHT = 8;

interface Props extends ChartProps {
  /** Seconds between two values; where more are missing, the line is interrupted. */
  step: number;
  /** Axis steps in powers of two, for bytes. */
  binary?: boolean;
  /** The time axis, if it is longer than the values. */
  from?: number;
  to?: number;
  thresholds?: readonly Threshold[];
  marks?: readonly ChartMark[];
}

const NONE: readonly never[] = [];

/** Lines over time. What is null or missing stays a gap. */
export function TimeSeries(props: Props) {
  const { times, series, step, marks = NONE, thresholds = NONE, format, timeZone } = props;
  const formats = useFormats(timeZone);
  const whole = useMemo(() => (times ? withGaps(times, series, step) : undefined), [times, series, step]);
  const notes = useMemo(() => notesOf(whole?.times ?? NONE, marks, step), [whole, marks, step]);
  return (
    <Frame
      {...props}
      times={whole?.times}
      series={whole?.series ?? series}
      days={false}
      notes={notes}
      remarks={thresholds.map(({ name, value }) => `${name}: ${(format ?? formats.value)(value)}`)}
    >
      {({ times: known, colours }) => (
        <Plot {...props} times={known} series={whole?.series ?? series} colours={colours} />
      )}
    </Frame>
  );
}

function Plot({
  title,
  times: all,
  series: whole,
  colours,
  format,
  axisFormat,
  height = HEIGHT,
  syncKey,
  timeZone,
  step,
  binary = false,
  from,
  to,
  thresholds = NONE,
  marks = NONE,
}: Props & { times: readonly number[]; colours: Map<string, string> }) {
  const { ref, width } = useWidth();
  const formats = useFormats(timeZone);
  const scheme = useComputedColorScheme();
  const shared = useShared(syncKey, from ?? all[0], to ?? all.at(-1));
  const { axis, zoomed, zoomAt } = useZoom(shared, [from ?? all[0] ?? 0, to ?? all.at(-1) ?? 1], step);
  const [first, last] = axis;
  const { times, series, drawn } = useMemo(
    () => visibleIn(all, whole, zoomed ? [first, last] : null),
    [all, whole, zoomed, first, last],
  );
  const scale = useMemo(
    () => scaleOf([...series.flatMap(({ values }) => values), ...thresholds.map(({ value }) => value)], 4, binary),
    [series, binary, thresholds],
  );
  const labelOf = axisFormat ?? formats.axis;
  const left = useMemo(() => axisWidth(scale.ticks.map(labelOf)), [scale, labelOf]);
  const size = useMemo(() => ({ width, height, left, right: RIGHT, top: TOP, bottom: FOOT }), [width, height, left]);
  const room = width - left - RIGHT;
  const plot = { top: TOP, height: height - FOOT - TOP, width };
  const places = useMemo(() => {
    const perSecond = room / Math.max(1, last - first);
    return times.map((time) => left + (time - first) * perSecond);
  }, [times, left, room, first, last]);
  const notes = useMemo(() => notesOf(times, marks, step), [times, marks, step]);
  const readout = (at: number) => ({
    notes: notes.get(at) ?? NONE,
    title: formats.moment(times[at] ?? 0, false),
    rows: series.map(({ name, values, texts }) => {
      const value = values[at] ?? null;
      const text = value === null ? '–' : (texts?.[at] ?? (format ?? formats.value)(value));
      return { name, colour: colours.get(name) ?? '', text, y: value === null ? null : yOf(value, scale, plot) };
    }),
  });
  const xOf = (time: number) =>
    time < first || time > last ? null : left + ((time - first) * room) / Math.max(1, last - first);
  const zoom = zoomAt({ left, width: room });
  const outside = !shared.at || shared.at.time < (times[0] ?? 0) || shared.at.time > (times.at(-1) ?? 0);
  return (
    <div ref={ref} style={{ height }}>
      {width > 0 && (
        <>
          <Surface
            label={title}
            places={places}
            plot={plot}
            index={outside ? -1 : indexAt(times, shared.at?.time ?? 0)}
            own={shared.own}
            onMove={(at) => shared.move(at === null ? null : (times[at] ?? null))}
            readout={readout}
            zoom={zoom}
          >
            <Suspense fallback={<Skeleton h={height} />}>
              {/* A canvas keeps the colours that it was drawn with: another theme is another plot. */}
              <Lines
                key={scheme}
                times={drawn.times}
                series={drawn.series}
                colours={colours}
                size={size}
                scale={scale}
                from={first}
                to={last}
                formats={formats}
                axis={labelOf}
              />
            </Suspense>
            <Overlays
              thresholds={thresholds}
              marks={marks}
              scale={scale}
              plot={plot}
              xOf={xOf}
              left={left}
              right={RIGHT}
            />
          </Surface>
          {zoomed && <ShowAll label={title} said={shared.own} span={axis} formats={formats} onClick={zoom.all} />}
        </>
      )}
    </div>
  );
}
