import { useEffect } from 'react';
import { useRouteError } from 'react-router';

import { isChunkFailure, reloadOnce } from '@/lib/chunks';

import { Broken } from './ErrorBoundary';

/** For errors that the router catches before the error boundary. */
export function RouteBroken() {
  const error = useRouteError();
  useEffect(() => {
    if (error instanceof Error && isChunkFailure(error)) reloadOnce(sessionStorage, () => location.reload());
  }, [error]);
  return <Broken again={() => location.reload()} />;
}
