import type { Problem } from '@/api';
import type { Crumb } from '@/components/Breadcrumbs';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { isMissing } from '@/lib/refusals';

import { NotFoundPage } from './errors';

interface Props {
  problem: Problem;
  /** What was looked for, as the address names it. */
  name: string;
  /** Where the address has only a number. Default: the name. */
  title?: string;
  /** The way back, which exists whether or not the object could be read. */
  crumbs?: readonly Crumb[];
  again: () => void;
}

/** In place of an object's page: the 404 page if the object is missing, else the problem. */
export function ObjectProblem({ problem, name, title = name, crumbs, again }: Props) {
  if (isMissing(problem)) return <NotFoundPage name={name} />;
  return (
    <Page title={title} crumbs={crumbs}>
      <ProblemView problem={problem} again={again} />
    </Page>
  );
}
