import { PageToCome } from '@/components/PageToCome';

import { LaterProblemView } from './LaterProblems';

/** Shown if the user is unknown because the session request failed. */
export function SessionProblem({ requestId }: { requestId: string | null }) {
  return (
    <LaterProblemView
      meanwhile={<PageToCome />}
      problem={{ status: 0, code: 'client.no_answer', message: '', args: {}, requestId }}
    />
  );
}
