import classes from './charts.module.css';
import { yOf } from './DayBars';
import type { Scale } from './scale';

/** A level that values are compared with. */
export interface Threshold {
  name: string;
  value: number;
}

/** Something that happened at a time, in seconds since 1970. */
export interface ChartMark {
  time: number;
  text: string;
  /** `trouble`: in the colour of warnings. */
  kind: 'up' | 'down' | 'trouble';
}

interface Props {
  thresholds: readonly Threshold[];
  marks: readonly ChartMark[];
  scale: Scale;
  plot: { top: number; height: number; width: number };
  /** The pixel of a time; null outside of the chart. */
  xOf: (time: number) => number | null;
  left: number;
  right: number;
}

/** Thresholds as horizontal lines, and events as vertical ones. The cursor's values and the table of the chart name both. */
export function Overlays({ thresholds, marks, scale, plot, xOf, left, right }: Props) {
  return (
    <div aria-hidden>
      {thresholds.map(({ name, value }) => (
        <div key={name} className={classes.threshold} style={{ top: yOf(value, scale, plot), left, right }}>
          <span>{name}</span>
        </div>
      ))}
      {marks.map(({ time, text, kind }) => {
        const x = xOf(time);
        return (
          x !== null && (
            <div
              key={`${time} ${text}`}
              className={classes.mark}
              data-kind={kind}
              style={{ left: x, top: plot.top, height: plot.height }}
            />
          )
        );
      })}
    </div>
  );
}
