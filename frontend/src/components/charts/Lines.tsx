import 'uplot/dist/uPlot.min.css';

import { useEffect, useRef } from 'react';
import UPlot, { type AlignedData, type Options } from 'uplot';

import type { ChartFormats } from './formats';
import { type Scale, uncut } from './scale';
import type { ChartSeries } from './series';

interface Props {
  times: readonly number[];
  series: readonly ChartSeries[];
  colours: Map<string, string>;
  /** Pixels; the sides are the widths of the axes and margins. */
  size: { width: number; height: number; left: number; right: number; top: number; bottom: number };
  scale: Scale;
  from: number;
  to: number;
  formats: ChartFormats;
  axis: (value: number) => string;
}

/**
 * The lines and axes of a time series, drawn by uPlot; cursor and tooltip are those of all charts. A change draws a new plot: that
 * takes 30 ms for six series of 2000 values.
 */
export default function Lines({ times, series, colours, size, scale, from, to, formats, axis }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const data = [[...times], ...series.map(({ values }) => [...values])] as AlignedData;
    const plot = new UPlot(
      optionsOf(element, { times, series, colours, size, scale, from, to, formats, axis }),
      data,
      element,
    );
    return () => plot.destroy();
  }, [times, series, colours, size, scale, from, to, formats, axis]);
  return <div ref={ref} style={{ height: size.height }} />;
}

function optionsOf(element: HTMLElement, { size, series, colours, formats, scale, from, to, axis }: Props): Options {
  const style = getComputedStyle(element);
  // A canvas knows no custom properties.
  const colour = (value: string) => style.getPropertyValue(value.replace(/^var\((.*)\)$/, '$1')).trim() || '#888888';
  const [border, text] = [colour('--mlp-border'), colour('--mantine-color-dimmed')];
  const lines = {
    stroke: text,
    font: `12px ${style.fontFamily || 'sans-serif'}`,
    ticks: { show: false },
    grid: { stroke: border, width: 1 },
  };
  const shown = { from, to, width: size.width - size.left - size.right, left: size.left, right: size.right };
  return {
    width: size.width,
    height: size.height,
    padding: [size.top, size.right, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: true, range: [from, to] },
      y: { range: [scale.min, scale.max] },
    },
    axes: [
      {
        ...lines,
        grid: { show: false },
        size: size.bottom,
        space: 72,
        values: (_, times, __, ___, step) =>
          uncut(
            times,
            times.map((time) => formats.time(time, step)),
            shown,
          ),
      },
      { ...lines, size: size.left, splits: scale.ticks, values: (_, ticks) => ticks.map((tick) => axis(tick)) },
    ],
    series: [
      {},
      ...series.map(({ name, area }) => {
        const stroke = colour(colours.get(name) ?? '');
        return {
          label: name,
          stroke,
          ...(area && { fill: `color-mix(in srgb, ${stroke} 18%, transparent)` }),
          width: 1.75,
          spanGaps: false,
          points: {
            show: true,
            size: 4,
            fill: stroke,
            filter: (plot: UPlot, index: number) => lonely(plot.data[index] ?? []),
          },
        };
      }),
    ],
  };
}

/** The indices of values between two gaps: no line is drawn to them. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const missing = (index: number) => (values[index] ?? null) === null;
  return Array.from({ length: values.length }, (_, index) => index).filter(
    (index) => !missing(index) && missing(index - 1) && missing(index + 1),
  );
}
