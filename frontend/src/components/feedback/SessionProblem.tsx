import { ProblemView } from './ProblemView';

/** Shown if the user is unknown because the session request failed. */
export function SessionProblem({ requestId }: { requestId: string | null }) {
  return <ProblemView problem={{ status: 0, code: 'client.no_answer', message: '', args: {}, requestId }} />;
}
