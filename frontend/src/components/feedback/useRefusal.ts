import { useState } from 'react';

import { asProblem, type Problem } from '@/api';

import type { Refusal } from './useFormRefusal';

/** A refusal of what has no fields that the server could name: a switch, a choice, several steps. `FormBanner` shows it. */
export function useRefusal(): Refusal {
  const [shown, setShown] = useState<{ problem: Problem | null; count: number }>({ problem: null, count: 0 });
  return {
    ...shown,
    fields: [],
    show: (error) => {
      const problem = asProblem(error);
      if (!problem) return false;
      setShown(({ count }) => ({ problem, count: count + 1 }));
      return true;
    },
    showInvalid: () => setShown(({ count }) => ({ problem: null, count: count + 1 })),
    clear: () => setShown(({ count }) => ({ problem: null, count })),
  };
}
