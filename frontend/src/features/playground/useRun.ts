import { useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';

import { api } from '@/api';
import { type Outcome, predict } from '@/lib/predict';

/** One call at a time; leaving the page ends it, which tells the gateway that nobody waits any more. */
export function useRun(account: string, model: string) {
  const dispatch = useDispatch();
  const current = useRef<AbortController | null>(null);
  const [running, setRunning] = useState(false);
  const [request, setRequest] = useState<unknown>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (data: unknown) => {
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    setRunning(true);
    setRequest(data);
    setOutcome(null);
    try {
      setOutcome(await predict({ account, model, data }, own.signal));
      dispatch(api.util.invalidateTags(['Balance']));
    } catch {
      // Stopped by the user, or by the next call.
    } finally {
      if (current.current === own) setRunning(false);
    }
  };
  return { running, request, outcome, start, stop: () => current.current?.abort() };
}
