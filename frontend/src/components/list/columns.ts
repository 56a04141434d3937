import type { MantineBreakpoint } from '@mantine/core';
import type { ReactNode } from 'react';
import type { To } from 'react-router';

export interface Column<Row> {
  /** Also the field that the list is sorted by. */
  name: string;
  label: string;
  /** Null: the row has no such fact, and a card leaves it out. */
  cell: (row: Row) => ReactNode;
  /** A second line, below a first column that is a link. */
  note?: (row: Row) => ReactNode;
  sortable?: boolean;
  /** Aligned to the right in figures of equal width. */
  numeric?: boolean;
  /** Without a width, columns share what is left. */
  width?: number | string;
  /** Buttons: the header has no visible label, and a card shows them beside its title. */
  actions?: boolean;
  /** Narrower screens leave the column out, and cards too. */
  from?: MantineBreakpoint;
  /** Cards show it, whichever tables do. */
  inCards?: boolean;
}

/** The rows of a list, and how they are named and opened. */
export interface Rows<Row> {
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** The row's name for screen readers. */
  rowName: (row: Row) => string;
  /** The address that a row opens; null if it opens nothing. */
  to?: ((row: Row) => To | null) | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  /** Which rows `onOpen` opens; without it, all. */
  canOpen?: ((row: Row) => boolean) | undefined;
}

export type Opening<Row> = Pick<Rows<Row>, 'to' | 'onOpen' | 'canOpen'>;

/** What a row opens: an address, something of this page, or nothing. */
export function openingOf<Row>(
  row: Row,
  { to, onOpen, canOpen }: Opening<Row>,
): { address: To } | { open: () => void } | null {
  const address = to?.(row) ?? null;
  if (address !== null) return { address };
  return onOpen && (canOpen?.(row) ?? true) ? { open: () => onOpen(row) } : null;
}
