import { useEffect, useRef, useState } from 'react';

import { asProblem, coreApi, type Problem } from '@/api';

import { LogBuffer, type LogLine } from './logBuffer';

const POLL_MS = 2000;

export interface Which {
  account: string;
  model: string;
  instanceId: number;
}

export interface Tail {
  lines: readonly LogLine[];
  loaded: boolean;
  problem: Problem | null;
}

const NOTHING: Tail = { lines: [], loaded: false, problem: null };

/** Follows the output of an instance: each request asks only for what came since the last answer. */
export function useLogTail({ account, model, instanceId }: Which, previous: boolean, paused: boolean): Tail {
  const [ask] = coreApi.useLazyCoreGetInstanceLogTailQuery();
  const [tail, setTail] = useState({ ...NOTHING, of: '' });
  const of = `${account}/${model}/${instanceId}/${previous}`;
  const buffers = useRef(new Map<string, LogBuffer>());
  useEffect(() => {
    if (paused) return undefined;
    let [ended, timer] = [false, 0];
    const into = buffers.current.get(of) ?? new LogBuffer();
    buffers.current = new Map([[of, into]]);
    const read = async () => {
      const { data, error } = await ask({
        account,
        model,
        instanceId,
        previousContainer: previous,
        since: into.end,
        ...(into.run !== null && { run: into.run }),
      });
      if (ended) return;
      const changed = data ? into.add(data) : false;
      setTail((now) =>
        now.of === of && !changed && now.loaded && !error && !now.problem
          ? now
          : {
              of,
              lines: into.lines,
              loaded: Boolean(data) || (now.of === of && now.loaded),
              problem: asProblem(error),
            },
      );
      // A run that has ended writes nothing more.
      if (!previous || error) timer = window.setTimeout(() => void whenVisible(), POLL_MS);
    };
    const whenVisible = async () => {
      if (document.visibilityState === 'visible') return read();
      timer = window.setTimeout(() => void whenVisible(), POLL_MS);
    };
    void read();
    return () => {
      ended = true;
      window.clearTimeout(timer);
    };
  }, [ask, of, account, model, instanceId, previous, paused]);
  return tail.of === of ? tail : NOTHING;
}
