import { useEffect, useEffectEvent, useState } from 'react';

import { asProblem } from '@/api';

const TOO_MANY = 'accountsadmin.too_many_attempts';
const LOOK_MS = 250;
/** The server's second may end a little after the browser's. */
const MARGIN_MS = 300;
/** The form is resubmitted automatically only after shorter waits. */
const LONGEST_BY_ITSELF = 120;

/** The wait that the server demands before the next attempt. The form keeps its input. */
export interface Turn {
  /** Remaining whole seconds; 0: none. */
  seconds: number;
  /** Whether the form is resubmitted automatically after the wait. */
  byItself: boolean;
  /** Call it when the user types: then the form is not resubmitted automatically. */
  hold: () => void;
  /** Returns false if the error demands no wait. */
  begin: (error: Parameters<typeof asProblem>[0]) => boolean;
}

/** `goOn` is called after the wait; without it the form is only enabled again. */
export function useTurn(goOn?: () => void): Turn {
  const [at, setAt] = useState<number | null>(null); // by a monotonic clock
  const [seconds, setSeconds] = useState(0);
  const [byItself, setByItself] = useState(false);
  const over = useEffectEvent(() => {
    setAt(null);
    setSeconds(0);
    if (byItself) goOn?.();
  });
  useEffect(() => {
    if (at === null) return undefined;
    const timer = setInterval(() => {
      const left = at - performance.now();
      if (left <= 0) over();
      else setSeconds(Math.max(1, Math.ceil((left - MARGIN_MS) / 1000)));
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [at]);
  const begin: Turn['begin'] = (error) => {
    const problem = asProblem(error);
    const wait = Number(problem?.args.seconds);
    if (problem?.code !== TOO_MANY || !(wait > 0)) return false;
    setSeconds(wait);
    setByItself(goOn !== undefined && wait <= LONGEST_BY_ITSELF);
    setAt(performance.now() + wait * 1000 + MARGIN_MS);
    return true;
  };
  return { seconds, byItself, hold: () => setByItself(false), begin };
}
