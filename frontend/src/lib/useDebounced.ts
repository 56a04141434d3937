import { useEffect, useRef } from 'react';

/**
 * Runs the latest `run` when the calls pause. Mantine's hook of this kind shares a chunk with components that the first
 * page does not need.
 */
export function useDebounced<Args extends unknown[]>(
  run: (...args: Args) => void,
  delayMs: number,
): (...args: Args) => void {
  const latest = useRef(run);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    latest.current = run;
  }, [run]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (...args) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(...args), delayMs);
  };
}
