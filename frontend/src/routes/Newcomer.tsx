import { lazy, Suspense } from 'react';

import { useSession } from '@/lib/session';

const FirstSteps = lazy(() => import('@/features/firstSteps/FirstSteps'));

/** The first steps, for members of an account. */
export function Newcomer() {
  const session = useSession();
  if (session.state !== 'signed-in' || session.accountId === null || session.isSuperadmin) return null;
  return (
    <Suspense fallback={null}>
      <FirstSteps key={session.accountId} accountId={session.accountId} />
    </Suspense>
  );
}
