import { useState } from 'react';

interface Options<Row> {
  rows: readonly Row[];
  onRows: (rows: Row[]) => void;
  /** A document with everything that the rows hold, also what is incomplete. */
  write: (rows: readonly Row[]) => unknown;
  /** Null: the document has another shape. */
  read: (document: unknown) => Row[] | null;
}

/** Rows that can also be edited as JSON. Both stay in step: each valid text becomes the rows at once. */
export function useRawJson<Row>({ rows, onRows, write, read }: Options<Row>) {
  const [text, setText] = useState<string | null>(null);
  const written = (some: readonly Row[]) => JSON.stringify(write(some), null, 2);
  const rowsIn = (some: string): Row[] | null => {
    try {
      return read(JSON.parse(some));
    } catch {
      return null;
    }
  };
  const broken = text !== null && rowsIn(text) === null;
  return {
    /** Null while the rows are shown. */
    text,
    /** The text is no list of rows: the rows are those of the last valid text. */
    broken,
    edit: (next: string) => {
      setText(next);
      const found = rowsIn(next);
      if (found) onRows(found);
    },
    show: (raw: boolean) => {
      if (raw) setText(written(rows));
      else if (!broken) setText(null);
    },
    /** Other rows took the place of the edited ones. */
    reset: (some: readonly Row[]) => setText((now) => (now === null ? null : written(some))),
  };
}
