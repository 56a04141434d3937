import { Skeleton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';

import classes from '@/features/firstSteps/FirstSteps.module.css';
import { isOver } from '@/features/firstSteps/over';
import { type SignedIn, useSession } from '@/lib/session';

const FirstSteps = lazy(() => import('@/features/firstSteps/FirstSteps'));

/** The first steps, for members of an account. */
export function Newcomer() {
  const session = useSession();
  if (session.state !== 'signed-in' || session.accountId === null || session.isSuperadmin) return null;
  return <Steps key={session.accountId} session={session} accountId={session.accountId} />;
}

/** Where they are over, nothing of them is loaded, and no place is kept for them. */
function Steps({ session, accountId }: { session: SignedIn; accountId: number }) {
  const [over] = useState(() => isOver(localStorage, accountId));
  if (over) return null;
  return (
    <Suspense fallback={<Skeleton className={classes.list ?? ''} aria-busy="true" />}>
      <FirstSteps session={session} accountId={accountId} />
    </Suspense>
  );
}
