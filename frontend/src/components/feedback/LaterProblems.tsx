import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';

// Most visits show no error, so pages that are loaded at once import these instead of the views themselves.
const view = () => import('./ProblemView');
const summary = () => import('./ProblemSummary');
const ProblemView = lazy(async () => ({ default: (await view()).ProblemView }));
const ProblemSummary = lazy(async () => ({ default: (await summary()).ProblemSummary }));

/** Never rejects: who needs a view asks for it again. */
export async function loadProblemViews(): Promise<void> {
  await Promise.allSettled([view(), summary()]);
}

/** `meanwhile`: what is in its place until it is loaded. */
export function LaterProblemView({
  meanwhile,
  ...props
}: ComponentProps<typeof ProblemView> & { meanwhile: ReactNode }) {
  return (
    <Suspense fallback={meanwhile}>
      <ProblemView {...props} />
    </Suspense>
  );
}

export function LaterProblemSummary(props: ComponentProps<typeof ProblemSummary>) {
  return (
    <Suspense fallback={null}>
      <ProblemSummary {...props} />
    </Suspense>
  );
}
