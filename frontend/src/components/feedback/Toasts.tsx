import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';

import type { Region } from './toastRegions';

const DEDUPE_MS = 30_000;
const shown = new Map<string, number>();

// The regions are loaded with the first toast, since most visits show none.
const regions = () => import('./toastRegions');
const ToastRegions = lazy(regions);
let wanted = false;
const waiting = new Set<() => void>();

function show(region: Region, toast: { title?: string; message: ReactNode; color?: string; withCloseButton?: boolean }): void {
  if (!wanted) {
    wanted = true;
    for (const wake of waiting) wake();
  }
  // A toast that cannot be shown must not cause another error.
  void regions().then(({ showIn }) => showIn(region, toast), () => undefined);
}

function subscribe(wake: () => void): () => void {
  waiting.add(wake);
  return () => waiting.delete(wake);
}

export function Toasts() {
  const needed = useSyncExternalStore(subscribe, () => wanted);
  return (
    <Suspense fallback={null}>
      {needed && <ToastRegions />}
    </Suspense>
  );
}

export function toastError(title: string, message: ReactNode): void {
  show('actions', { color: 'red', title, message });
}

/** The same error is not shown again within half a minute. */
export function toastErrorOnce(title: string, message: string, now: number = Date.now()): boolean {
  const key = `${title}\n${message}`;
  if (now - (shown.get(key) ?? -Infinity) < DEDUPE_MS) return false;
  shown.set(key, now);
  toastError(title, message);
  return true;
}

export function toastDone(message: string): void {
  show('actions', { color: 'green', message });
}

export function toastGeneral(message: string): void {
  show('general', { message });
}

export function toastBrief(message: string): void {
  show('brief', { message, withCloseButton: false });
}
