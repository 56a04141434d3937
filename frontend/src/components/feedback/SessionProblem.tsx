import { ProblemView } from './ProblemView';

/** Nobody knows who is here, because the question was not answered. */
export function SessionProblem({ requestId }: { requestId: string | null }) {
  return <ProblemView problem={{ status: 0, code: 'client.no_answer', message: '', args: {}, requestId }} />;
}
