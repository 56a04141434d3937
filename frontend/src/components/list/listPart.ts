import type { ListState, Sort } from './useListState';

interface How<Row> {
  /** What the search looks into. */
  text: (row: Row) => string;
  /** Ascending orders by the name of the field. */
  orders?: Readonly<Record<string, (one: Row, other: Row) => number>>;
  size?: number;
}

const PAGE_SIZE = 50;

/** One page of a list that the server sends as a whole. A missing page is replaced by the nearest. */
export function listPart<Row>(
  rows: readonly Row[],
  { search, sort, page: asked }: Pick<ListState, 'search' | 'sort' | 'page'>,
  { text, orders, size = PAGE_SIZE }: How<Row>,
) {
  const wanted = search.toLowerCase();
  const found = rows.filter((row) => text(row).toLowerCase().includes(wanted));
  const order = sort && orders?.[sort.field];
  const sorted = order ? found.toSorted(directed(order, sort)) : found;
  const pages = Math.max(1, Math.ceil(sorted.length / size));
  const page = Math.min(asked, pages);
  return { rows: sorted.slice((page - 1) * size, page * size), page, pages, total: found.length };
}

function directed<Row>(order: (one: Row, other: Row) => number, { descending }: Sort) {
  return descending ? (one: Row, other: Row) => order(other, one) : order;
}
