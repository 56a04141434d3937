/** Pages opened from the palette, newest first, kept for each account in this browser. */
export interface Recent {
  id: string;
  title: string;
  hint: string | null;
  to: string;
}

const MOST = 5;

function keyOf(account: number | null): string {
  return `palette-recent:${account ?? 'visitor'}`;
}

function isRecent(value: unknown): value is Recent {
  const { id, title, hint, to } = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof Recent, unknown>
  >;
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    (hint === null || typeof hint === 'string') &&
    typeof to === 'string' &&
    /^\/(?!\/)/.test(to)
  );
}

export function readRecent(storage: Storage, account: number | null): Recent[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(keyOf(account)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function addRecent(storage: Storage, account: number | null, { id, title, hint, to }: Recent): void {
  const others = readRecent(storage, account).filter((known) => known.id !== id);
  try {
    storage.setItem(keyOf(account), JSON.stringify([{ id, title, hint, to }, ...others].slice(0, MOST)));
  } catch {
    // A full or forbidden storage only means that nothing is remembered.
  }
}
