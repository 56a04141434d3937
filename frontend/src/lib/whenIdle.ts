const LATEST_MS = 5000;

/** Does something when the page is idle. Returns how to cancel it. */
export function whenIdle(load: () => void): () => void {
  // Safari before 18.4 has no idle callbacks.
  if (typeof window.requestIdleCallback !== 'function') {
    const timer = window.setTimeout(load, LATEST_MS);
    return () => window.clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(load);
  return () => window.cancelIdleCallback(handle);
}
