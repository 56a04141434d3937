const RELOADED = 'chunk-reload';
const AGAIN_MS = 60_000;

export function isChunkFailure(error: Error): boolean {
  return /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message);
}

/** At most once a minute: a page that has just been loaded has its files of the same build, so a second failure has another cause. */
export function reloadOnce(storage: Storage, reload: () => void, now = Date.now()): boolean {
  const last = storage.getItem(RELOADED);
  if (last !== null && now - Number(last) < AGAIN_MS) return false;
  storage.setItem(RELOADED, String(now));
  reload();
  return true;
}
