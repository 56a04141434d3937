export const GROUPS = [
  'recent',
  'pages',
  'actions',
  'administered',
  'own',
  'catalogue',
  'groups',
  'keys',
  'accounts',
] as const;
export type GroupName = (typeof GROUPS)[number];

/** One line of the palette: it leads to a page of the application (`to`), outside (`href`), or does something (`run`). */
export interface Item {
  id: string;
  group: GroupName;
  title: string;
  hint?: string | null;
  /** Keys that do the same. */
  keys?: string;
  to?: string;
  href?: string;
  run?: () => unknown;
}

/** The element of an item in the list with that id. References between elements allow no spaces. */
export function elementOf(list: string, { id }: Pick<Item, 'id'>): string {
  return `${list}-${encodeURIComponent(id)}`;
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('ё', 'е');
}

/** Whether all words of the query begin a word of the text, or are within it. */
export function matches(query: string, ...texts: readonly (string | null | undefined)[]): boolean {
  const text = folded(texts.filter(Boolean).join(' '));
  return folded(query)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** In the order of the groups; an item that is found twice is shown where it stands first. */
export function grouped(items: readonly Item[]): { name: GroupName; items: Item[] }[] {
  const seen = new Set<string>();
  const unique = GROUPS.flatMap((name) => items.filter(({ group }) => group === name)).filter(
    ({ id }) => !seen.has(id) && seen.add(id),
  );
  return GROUPS.map((name) => ({ name, items: unique.filter(({ group }) => group === name) })).filter(
    ({ items: own }) => own.length > 0,
  );
}
