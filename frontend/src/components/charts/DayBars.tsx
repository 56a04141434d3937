import { useMemo } from 'react';

import classes from './charts.module.css';
import { type ChartProps, Frame, HEIGHT } from './Frame';
import { type ChartFormats, useFormats } from './formats';
import { axisWidth, indexAt, labelled, type Scale, scaleOf } from './scale';
import type { ChartSeries } from './series';
import { Surface } from './Surface';
import { useShared } from './sync';
import { useWidth } from './useWidth';

const DAY = 86_400;
export const FOOT = 24;
export const TOP = 8;
const LABEL = 64;

interface Props extends ChartProps {
  /** Exact texts of the days' sums. */
  totals?: readonly string[];
}

/**
 * Stacked bars, one for each day; `times` are the days' beginnings.
 *
 * Drawn as SVG: 2 kB. Recharts would be 109 kB, and bars of uPlot are pixels, which have no colours of a style sheet and blur when a
 * page is zoomed; its speed shows only with thousands of points, and a year has 366 days.
 */
export function DayBars(props: Props) {
  const { times, series } = props;
  const sums = useMemo(() => sumsOf(times?.length ?? 0, series), [times, series]);
  const formats = useFormats(props.timeZone);
  const format = props.format ?? formats.value;
  const totals = props.totals ?? (series.length > 1 ? sums.map(format) : undefined);
  return (
    <Frame {...props} days {...(totals && { totals })}>
      {({ times: known, colours }) => (
        <Bars
          {...props}
          times={known}
          colours={colours}
          sums={sums}
          totals={totals}
          formats={formats}
          format={format}
        />
      )}
    </Frame>
  );
}

/** Values below zero take from the day's sum; bars have only values above it. */
function sumsOf(length: number, series: readonly ChartSeries[]): number[] {
  return Array.from({ length }, (_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
}

interface BarsProps extends ChartProps {
  times: readonly number[];
  colours: Map<string, string>;
  sums: readonly number[];
  totals: readonly string[] | undefined;
  formats: ChartFormats;
  format: (value: number) => string;
}

function Bars({
  title,
  times,
  series,
  colours,
  sums,
  totals,
  formats,
  format,
  axisFormat,
  height = HEIGHT,
  syncKey,
}: BarsProps) {
  const { ref, width } = useWidth();
  const shared = useShared(syncKey, times[0], times.at(-1));
  const scale = scaleOf(sums);
  const ticks = scale.ticks.map(axisFormat ?? formats.axis);
  const left = axisWidth(ticks);
  const band = Math.max(0, width - left) / Math.max(1, times.length);
  const places = times.map((_, index) => left + (index + 0.5) * band);
  const cursor = shared.at ? indexAt(times, shared.at.time, true) : -1;
  const index = shared.at && shared.at.time < (times[cursor] ?? -Infinity) + DAY ? cursor : -1;
  const plot = { top: TOP, height: height - FOOT - TOP, width };
  const readout = (at: number) => ({
    title: formats.moment(times[at] ?? 0, true),
    rows: series.flatMap(({ name, values, texts }) => {
      const value = values[at] ?? null;
      return value ? [{ name, colour: colours.get(name) ?? '', text: texts?.[at] ?? format(value) }] : [];
    }),
    total: totals?.[at] ?? format(sums[at] ?? 0),
  });
  return (
    <div ref={ref} style={{ height }}>
      {width > 0 && (
        <Surface
          label={title}
          places={places}
          plot={plot}
          index={index}
          own={shared.own}
          onMove={(at) => shared.move(at === null ? null : (times[at] ?? null))}
          readout={readout}
        >
          <svg className={classes.svg} width={width} height={height}>
            <Axes
              scale={scale}
              ticks={ticks}
              left={left}
              plot={plot}
              places={places}
              texts={times.map((time) => formats.time(time, DAY))}
            />
            {times.map((time, at) => (
              <Stack
                key={time}
                series={series}
                colours={colours}
                at={at}
                x={left + at * band}
                band={band}
                y={(value) => yOf(value, scale, plot)}
                faded={index >= 0 && index !== at}
              />
            ))}
          </svg>
        </Surface>
      )}
    </div>
  );
}

type Plot = { top: number; height: number; width: number };

export const yOf = (value: number, { min, max }: Scale, { top, height }: Plot) =>
  top + height * (1 - (value - min) / (max - min));

interface AxesProps {
  scale: Scale;
  /** The texts of the scale's ticks. */
  ticks: readonly string[];
  left: number;
  plot: Plot;
  places: readonly number[];
  texts: readonly string[];
}

function Axes({ scale, ticks, left, plot, places, texts }: AxesProps) {
  return (
    <>
      {scale.ticks.map((tick, at) => (
        <g key={tick}>
          <line
            className={classes.grid}
            x1={left}
            x2={plot.width}
            y1={yOf(tick, scale, plot)}
            y2={yOf(tick, scale, plot)}
          />
          <text x={left - 8} y={yOf(tick, scale, plot)} textAnchor="end" dominantBaseline="middle">
            {ticks[at]}
          </text>
        </g>
      ))}
      {labelled(places.length, plot.width - left, LABEL).map((at) => (
        <text
          key={at}
          x={Math.min(places[at] ?? 0, plot.width - LABEL / 2)}
          y={plot.top + plot.height + 16}
          textAnchor="middle"
        >
          {texts[at]}
        </text>
      ))}
    </>
  );
}

interface StackProps {
  series: readonly ChartSeries[];
  colours: Map<string, string>;
  at: number;
  x: number;
  band: number;
  y: (value: number) => number;
  faded: boolean;
}

function Stack({ series, colours, at, x, band, y, faded }: StackProps) {
  const gap = Math.min(6, band * 0.2);
  return (
    <g className={faded ? classes.faded : undefined}>
      {partsOf(series, at).map(({ name, from, to }) => (
        <rect
          key={name}
          className={classes.segment}
          data-series={name}
          x={x + gap / 2}
          width={Math.max(1, band - gap)}
          y={y(to)}
          height={Math.max(1, y(from) - y(to))}
          rx={2}
          fill={colours.get(name)}
        />
      ))}
    </g>
  );
}

/** The parts of one bar from below. */
function partsOf(series: readonly ChartSeries[], at: number): { name: string; from: number; to: number }[] {
  const parts: { name: string; from: number; to: number }[] = [];
  for (const { name, values } of series) {
    const value = values[at] ?? 0;
    const from = parts.at(-1)?.to ?? 0;
    if (value > 0) parts.push({ name, from, to: from + value });
  }
  return parts;
}
