import type { Problem } from '@/api';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { isMissing } from '@/lib/refusals';

import { NotFoundPage } from './errors';

/** In place of an object's page: the 404 page if the object is missing, else the problem. */
export function ObjectProblem({ problem, name, again }: { problem: Problem; name: string; again: () => void }) {
  if (isMissing(problem)) return <NotFoundPage name={name} />;
  return (
    <Page title={name}>
      <ProblemView problem={problem} again={again} />
    </Page>
  );
}
