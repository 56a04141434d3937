import { useTranslation } from 'react-i18next';

import classes from './charts.module.css';

interface Props {
  /** What is shown, for screen readers: "calls per hour, 24 hours: at most 120". */
  label: string;
  /** At equal distances; null is a gap. Undefined while loading: the place is kept. */
  values: readonly (number | null)[] | undefined;
  height?: number;
  colour?: string;
}

const WIDTH = 100;
const PAD = 2;

/** A line without axes, for cards and rows. It fills the width of its place. */
export function Sparkline({ label, values, height = 24, colour = 'var(--mlp-accent-text)' }: Props) {
  const { t } = useTranslation('Chart');
  const known = values?.filter((value) => value !== null) ?? [];
  const name = values && known.length === 0 ? `${label}: ${t('empty')}` : label;
  const most = Math.max(...known, 0) || 1;
  const step = WIDTH / Math.max(1, (values?.length ?? 0) - 1);
  const y = (value: number) => height - PAD - (Math.max(0, value) / most) * (height - 2 * PAD);
  return (
    // An image of its own would not have the theme's colours.
    <svg
      className={classes.spark}
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="img"
      aria-label={name}
      aria-busy={!values}
    >
      {known.length === 0 && (
        <line
          x1={0}
          x2={WIDTH}
          y1={height - PAD}
          y2={height - PAD}
          stroke="var(--mlp-border)"
          strokeDasharray="4 3"
          vectorEffect="non-scaling-stroke"
        />
      )}
      {pieces(values ?? []).map((piece) => {
        const points = piece.map(([index, value]) => `${rounded(index * step)},${rounded(y(value))}`);
        const [[first] = [0], [last] = [0]] = [piece[0], piece.at(-1)];
        return (
          <g key={first}>
            <path
              d={`M${rounded(first * step)},${height}L${points.join('L')}L${rounded(last * step)},${height}Z`}
              fill={colour}
              opacity={0.12}
            />
            {/* A single value is a line without length: its round end is a dot, whatever the picture's proportions. */}
            <path
              d={`M${points.join('L')}${piece.length === 1 ? 'h0' : ''}`}
              fill="none"
              stroke={colour}
              strokeWidth={piece.length === 1 ? 3 : 1.5}
              strokeLinecap="round"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
            />
          </g>
        );
      })}
    </svg>
  );
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** Runs of values without a gap, with their indices. */
export function pieces(values: readonly (number | null)[]): [index: number, value: number][][] {
  const all: [number, number][][] = [];
  let open: [number, number][] | null = null;
  values.forEach((value, index) => {
    if (value === null) {
      open = null;
      return;
    }
    if (!open) all.push((open = []));
    open.push([index, value]);
  });
  return all;
}
