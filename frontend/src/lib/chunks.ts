const RELOADED = 'chunk-reload';

export function isChunkFailure(error: Error): boolean {
  return /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message);
}

/** At most once until a page has loaded: a second failure has another cause. */
export function reloadOnce(storage: Storage, reload: () => void): boolean {
  if (storage.getItem(RELOADED)) return false;
  storage.setItem(RELOADED, 'yes');
  reload();
  return true;
}

export function loaded(storage: Storage): void {
  storage.removeItem(RELOADED);
}
