import { lazy, Suspense } from 'react';

import type { SheetProps } from './SheetDrawer';

const SheetDrawer = lazy(() => import('./SheetDrawer'));

/** What a phone shows over the page, from below. Loaded when one is opened. */
export function Sheet({ opened, ...sheet }: SheetProps & { opened: boolean }) {
  return <Suspense fallback={null}>{opened && <SheetDrawer {...sheet} />}</Suspense>;
}
