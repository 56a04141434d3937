import { NOW, type State } from '../samples.ts';

export type Row = Record<string, unknown>;
export type Change = (body: never, state: State) => unknown;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAYS = 30;
export const ago = (ms: number) => new Date(NOW - ms).toISOString();
/** Repeats without being periodic at sight. Between 0 and 1. */
export const wave = (at: number, shift = 0) => (Math.sin(at / 3.1 + shift) + Math.sin(at / 1.7 + 2 * shift) + 2) / 4;

/** A start that was requested so many seconds ago. */
export const startOf = (phase: string, seconds: number, usualSeconds: number) => ({
  phase,
  since: ago(seconds * 1000),
  usualSeconds,
});
export type Fact = readonly [RegExp, Change];

export const records = (body: { records: Row[]; paging: Row }, state: State, each: (row: Row, at: number) => Row) => ({
  paging:
    state === 'crowded'
      ? { totalElements: 1240, totalPages: 62, pageNumber: 0, pageSize: 20 }
      : { totalElements: body.records.length, totalPages: 1, pageNumber: 0, pageSize: 20 },
  records: body.records.map(each),
});
