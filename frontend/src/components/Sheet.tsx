import { lazy, type ReactNode, Suspense } from 'react';

const SheetDrawer = lazy(() => import('./SheetDrawer'));

export interface SheetProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** What a phone shows over the page, from below. Loaded when one is opened. */
export function Sheet({ opened, ...sheet }: SheetProps & { opened: boolean }) {
  return <Suspense fallback={null}>{opened && <SheetDrawer {...sheet} />}</Suspense>;
}
