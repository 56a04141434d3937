import { useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';

import { api } from '@/api';
import { AFTER_CALL } from '@/lib/predict/afterCall';
import { type Outcome, predict, type PredictRequest, predictStream } from '@/lib/predict/predict';

/** A request and its result. */
export interface Run {
  request: unknown;
  config: unknown;
  outcome: Outcome;
}

type Sending = (request: PredictRequest, signal: AbortSignal) => Promise<Outcome>;

/** Runs one call at a time. Leaving the page aborts it, so the gateway notices that the caller is gone. */
export function useRun(account: string, model: string, send: Sending = predict) {
  const dispatch = useDispatch();
  const current = useRef<AbortController | null>(null);
  const [running, setRunning] = useState(false);
  const [last, setLast] = useState<Run | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  /** Null if the call was aborted by the user or by the next call. */
  const call = async (data: unknown, config: unknown, how: Sending): Promise<Outcome | null> => {
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    setRunning(true);
    setLast(null);
    try {
      const outcome = await how({ account, model, data, config }, own.signal);
      setLast({ request: data, config, outcome });
      dispatch(api.util.invalidateTags([...AFTER_CALL]));
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
    start: (data: unknown, config?: unknown) => call(data, config, send),
    stream: (data: unknown, config: unknown, onPart: (part: unknown) => void) =>
      call(data, config, (request, signal) => predictStream(request, onPart, signal)),
    stop: () => current.current?.abort(),
  };
}
