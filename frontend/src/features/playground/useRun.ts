import { useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';

import { api } from '@/api';
import { type Outcome, predict, type PredictRequest, predictStream } from '@/lib/predict/predict';

/** What was asked, and what came of it. */
export interface Run {
  request: unknown;
  config: unknown;
  outcome: Outcome;
}

/** One call at a time; leaving the page ends it, which tells the gateway that nobody waits any more. */
export function useRun(account: string, model: string) {
  const dispatch = useDispatch();
  const current = useRef<AbortController | null>(null);
  const [running, setRunning] = useState(false);
  const [last, setLast] = useState<Run | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  /** Null for a call that was stopped: by the user, or by the next one. */
  const call = async (data: unknown, config: unknown, send: (request: PredictRequest, signal: AbortSignal) => Promise<Outcome>): Promise<Outcome | null> => {
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    setRunning(true);
    setLast(null);
    try {
      const outcome = await send({ account, model, data, config }, own.signal);
      setLast({ request: data, config, outcome });
      dispatch(api.util.invalidateTags(['Balance']));
      return outcome;
    } catch {
      return null;
    } finally {
      if (current.current === own) setRunning(false);
    }
  };
  return {
    running,
    last,
    start: (data: unknown, config?: unknown) => call(data, config, predict),
    stream: (data: unknown, config: unknown, onPart: (part: unknown) => void) => call(data, config, (request, signal) => predictStream(request, onPart, signal)),
    stop: () => current.current?.abort(),
  };
}
