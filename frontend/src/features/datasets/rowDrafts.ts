import type { DatasetRowsChangeData } from '@/api/generated/core.gen';

/** Unsaved changes of rows, by their number in the content from 0; null deletes the row. `added` come last. */
export interface RowDrafts {
  changed: Readonly<Record<number, readonly string[] | null>>;
  added: readonly (readonly string[])[];
}

export const NO_DRAFTS: RowDrafts = { changed: {}, added: [] };

export const countOf = ({ changed, added }: RowDrafts): number => Object.keys(changed).length + added.length;

const withCell = (values: readonly string[], column: number, text: string): string[] =>
  values.map((value, place) => (place === column ? text : value));

/** `stored` is the row as the server has it: a row that is like it again is no change. */
export function edited(
  drafts: RowDrafts,
  row: number,
  stored: readonly string[],
  column: number,
  text: string,
): RowDrafts {
  const values = withCell(drafts.changed[row] ?? stored, column, text);
  const { [row]: _, ...others } = drafts.changed;
  const same = values.every((value, place) => value === stored[place]);
  return { ...drafts, changed: same ? others : { ...others, [row]: values } };
}

export function toggledDeletion(drafts: RowDrafts, row: number): RowDrafts {
  const { [row]: current, ...others } = drafts.changed;
  return { ...drafts, changed: current === null ? others : { ...others, [row]: null } };
}

export const withRow = (drafts: RowDrafts, width: number): RowDrafts => ({
  ...drafts,
  added: [...drafts.added, Array.from({ length: width }, () => '')],
});

export const editedAdded = (drafts: RowDrafts, place: number, column: number, text: string): RowDrafts => ({
  ...drafts,
  added: drafts.added.map((values, number) => (number === place ? withCell(values, column, text) : values)),
});

export const withoutAdded = (drafts: RowDrafts, place: number): RowDrafts => ({
  ...drafts,
  added: drafts.added.filter((_, number) => number !== place),
});

export function changeOf(drafts: RowDrafts, version: number): DatasetRowsChangeData {
  return {
    version,
    changes: Object.entries(drafts.changed).map(([row, values]) => ({
      row: Number(row),
      values: values && [...values],
    })),
    added: drafts.added.map((values) => [...values]),
  };
}
