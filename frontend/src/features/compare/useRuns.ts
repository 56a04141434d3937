import { useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';

import { api } from '@/api';
import { AFTER_CALL } from '@/lib/predict/afterCall';
import { type Outcome, predict, tryOut } from '@/lib/predict/predict';

export interface Runner {
  name: string;
  account: string;
  model: string;
  /** Without signing in. */
  visitor: boolean;
}

export interface SharedRun {
  request: unknown;
  /** By name; missing while the service has not answered. */
  outcomes: Readonly<Record<string, Outcome>>;
}

/** Sends one request to several services at the same time. Leaving the page aborts the calls. */
export function useRuns() {
  const dispatch = useDispatch();
  const current = useRef<AbortController | null>(null);
  const [run, setRun] = useState<SharedRun | null>(null);
  const [running, setRunning] = useState(false);
  useEffect(() => () => current.current?.abort(), []);
  const start = async (runners: readonly Runner[], request: unknown) => {
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    setRun({ request, outcomes: {} });
    setRunning(true);
    await Promise.allSettled(
      runners.map(async ({ name, account, model, visitor }) => {
        const outcome = await (visitor ? tryOut : predict)({ account, model, data: request }, own.signal);
        setRun((now) => now && { ...now, outcomes: { ...now.outcomes, [name]: outcome } });
      }),
    );
    if (current.current !== own) return;
    setRunning(false);
    dispatch(api.util.invalidateTags([...AFTER_CALL]));
  };
  return { run, running, start };
}
