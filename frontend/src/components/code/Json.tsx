import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';

const Editor = lazy(() => import('./JsonEditor'));

/** The JSON editor, loaded on demand. */
export function Json(props: Parameters<typeof Editor>[0]) {
  return (
    <Suspense fallback={<Skeleton h={140} />}>
      <Editor {...props} />
    </Suspense>
  );
}
