import { Skeleton, useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';

import { AXIS, FOOT, TOP, yOf } from './DayBars';
import { type ChartProps, Frame, HEIGHT } from './Frame';
import { useFormats } from './formats';
import { indexAt, scaleOf } from './scale';
import { withGaps } from './series';
import { Surface } from './Surface';
import { useShared } from './sync';
import { useWidth } from './useWidth';

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
}

/** Lines over time. What is null or missing stays a gap. */
export function TimeSeries(props: Props) {
  const { times, series, step } = props;
  const whole = useMemo(() => (times ? withGaps(times, series, step) : undefined), [times, series, step]);
  return (
    <Frame {...props} times={whole?.times} series={whole?.series ?? series} days={false}>
      {({ times: known, colours }) => <Plot {...props} times={known} series={whole?.series ?? series} colours={colours} />}
    </Frame>
  );
}

function Plot({ title, times, series, colours, format, axisFormat, height = HEIGHT, syncKey, timeZone, binary = false, from, to }: Props & { times: readonly number[]; colours: Map<string, string> }) {
  const { ref, width } = useWidth();
  const formats = useFormats(timeZone);
  const scheme = useComputedColorScheme();
  const size = useMemo(() => ({ width, height, left: AXIS, right: RIGHT, top: TOP, bottom: FOOT }), [width, height]);
  const shared = useShared(syncKey, from ?? times[0], to ?? times.at(-1));
  const scale = useMemo(() => scaleOf(series.flatMap(({ values }) => values), 4, binary), [series, binary]);
  const [first, last] = shared.span ?? [from ?? times[0] ?? 0, to ?? times.at(-1) ?? 1];
  const plot = { top: TOP, height: height - FOOT - TOP, width };
  const places = useMemo(() => {
    const perSecond = (width - AXIS - RIGHT) / Math.max(1, last - first);
    return times.map((time) => AXIS + (time - first) * perSecond);
  }, [times, width, first, last]);
  const readout = (at: number) => ({
    title: formats.moment(times[at] ?? 0, false),
    rows: series.map(({ name, values, texts }) => {
      const value = values[at] ?? null;
      const text = value === null ? '–' : (texts?.[at] ?? (format ?? formats.value)(value));
      return { name, colour: colours.get(name) ?? '', text, y: value === null ? null : yOf(value, scale, plot) };
    }),
  });
  const outside = !shared.at || shared.at.time < (times[0] ?? 0) || shared.at.time > (times.at(-1) ?? 0);
  return (
    <div ref={ref} style={{ height }}>
      {width > 0 && (
        <Surface label={title} places={places} plot={plot} index={outside ? -1 : indexAt(times, shared.at?.time ?? 0)} own={shared.own} onMove={(at) => shared.move(at === null ? null : (times[at] ?? null))} readout={readout}>
          <Suspense fallback={<Skeleton h={height} />}>
            {/* A canvas keeps the colours that it was drawn with: another theme is another plot. */}
            <Lines key={scheme} times={times} series={series} colours={colours} size={size} scale={scale} from={first} to={last} formats={formats} axis={axisFormat ?? formats.axis} />
          </Suspense>
        </Surface>
      )}
    </div>
  );
}
