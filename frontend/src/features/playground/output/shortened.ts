const LONGEST_TEXT = 2000;
const MOST_ITEMS = 1000;

/** Shortens very long texts (sounds, images) and lists (vectors) for display, and says how much is omitted. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}… (+${value.length - LONGEST_TEXT})` : value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_ITEMS).map(shortened);
    return value.length > MOST_ITEMS ? [...kept, `… (+${value.length - MOST_ITEMS})`] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
}
