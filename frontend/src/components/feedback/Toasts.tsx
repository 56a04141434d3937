import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { loadProblemTexts } from '@/lib/problems/texts';
import { whenIdle } from '@/lib/whenIdle';

import { loadProblemViews } from './LaterProblems';
import type { Region } from './toastRegions';

const DEDUPE_MS = 30_000;
/** An error says what to do and has details: that takes longer to read than a confirmation. */
const ERROR_MS = 10_000;
const shown = new Map<string, number>();

// The regions are loaded with the first toast, since most visits show none.
const regions = () => import('./toastRegions');
const ToastRegions = lazy(regions);
let wanted = false;
const waiting = new Set<() => void>();

type Toast = {
  title?: string;
  message: ReactNode;
  color?: string;
  withCloseButton?: boolean;
  autoClose?: number;
};

function show(region: Region, toast: Toast): void {
  if (!wanted) {
    wanted = true;
    for (const wake of waiting) wake();
  }
  // A toast that cannot be shown must not cause another error.
  void regions().then(
    ({ showIn }) => showIn(region, toast),
    () => undefined,
  );
}

function subscribe(wake: () => void): () => void {
  waiting.add(wake);
  return () => waiting.delete(wake);
}

export function Toasts() {
  const { i18n } = useTranslation();
  const { language } = i18n;
  // So that they are there when the connection is not.
  useEffect(
    () => whenIdle(() => void Promise.all([loadProblemViews(), loadProblemTexts(i18n, language)])),
    [i18n, language],
  );
  const needed = useSyncExternalStore(subscribe, () => wanted);
  return <Suspense fallback={null}>{needed && <ToastRegions />}</Suspense>;
}

export function toastError(title: string, message: ReactNode): void {
  show('actions', { color: 'red', title, message, autoClose: ERROR_MS });
}

/** The same error is not shown again within half a minute. `shownAs`: what is shown instead of the text that identifies it. */
export function toastErrorOnce(
  title: string,
  message: string,
  now: number = Date.now(),
  shownAs: ReactNode = message,
): boolean {
  const key = `${title}\n${message}`;
  if (now - (shown.get(key) ?? -Infinity) < DEDUPE_MS) return false;
  shown.set(key, now);
  toastError(title, shownAs);
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
