import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Vitals } from './measure';

export interface Measured extends Partial<Vitals> {
  name: string;
  /** Bytes of scripts of the first load, compressed. */
  scripts?: number;
}

/** Milliseconds, and parts of the window for layout shifts. */
export const BARS: Vitals = { lcp: 1500, cls: 0.02, inp: 200, frame: 100 };
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/vitals');
const COLUMNS = ['lcp', 'cls', 'inp', 'frame'] as const;

export function tooMuch(measured: Measured): string[] {
  return COLUMNS.filter((name) => (measured[name] ?? 0) > BARS[name]).map(
    (name) => `${measured.name}: ${name} ${shown(measured[name])}, may be ${BARS[name]}`,
  );
}

const shown = (value: number | undefined) =>
  value === undefined ? '–' : value < 1 && value > 0 ? value.toFixed(3) : String(Math.round(value));

export function tableOf(all: readonly Measured[]): string {
  const rows = all.map((one) => [
    one.name,
    ...COLUMNS.map((name) => `${shown(one[name])}${(one[name] ?? 0) > BARS[name] ? ' !' : ''}`),
    one.scripts === undefined ? '–' : `${(one.scripts / 1000).toFixed(1)} kB`,
  ]);
  const lines = [['page', 'LCP ms', 'CLS', 'INP ms', 'frame ms', 'scripts'], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

export function write(all: readonly Measured[]): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, 'vitals.json');
  writeFileSync(file, JSON.stringify({ bars: BARS, measured: all }, null, 2));
  return file;
}
