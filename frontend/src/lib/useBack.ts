import { useLocation } from 'react-router';

/** The current address, to return to. */
export function useBack(): string {
  const { pathname, search } = useLocation();
  return pathname + search;
}
