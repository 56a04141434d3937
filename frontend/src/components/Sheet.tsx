import { lazy, Suspense } from 'react';

import type { SheetProps } from './SheetDrawer';

const SheetDrawer = lazy(() => import('./SheetDrawer'));

/** A panel that slides in from below on phones. Loaded when it is opened. */
export function Sheet({ opened, ...sheet }: SheetProps & { opened: boolean }) {
  return <Suspense fallback={null}>{opened && <SheetDrawer {...sheet} />}</Suspense>;
}
