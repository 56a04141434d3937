import { useLocation } from 'react-router';

/** Where somebody is now, to come back to. */
export function useBack(): string {
  const { pathname, search } = useLocation();
  return pathname + search;
}
