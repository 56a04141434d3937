import { lazy, type ReactNode, Suspense, useState } from 'react';

import { isOver } from '@/features/firstSteps/over';
import { type SignedIn, useSession } from '@/lib/session';

const FirstSteps = lazy(() => import('@/features/firstSteps/FirstSteps'));

interface Props {
  /** Shown instead of all until it is certain whether there are steps. */
  waiting: ReactNode;
  /** What stands below the steps. */
  children: ReactNode;
}

/** The first steps, for members of an account, above the rest of a page: that waits for them, since it would jump if they came or went later. */
export function Newcomer({ waiting, children }: Props) {
  const session = useSession();
  if (session.state !== 'signed-in' || session.accountId === null || session.isSuperadmin) return children;
  return (
    <Steps key={session.accountId} session={session} accountId={session.accountId} waiting={waiting}>
      {children}
    </Steps>
  );
}

/** Where they are over, nothing of them is loaded or waited for. */
function Steps({ session, accountId, waiting, children }: Props & { session: SignedIn; accountId: number }) {
  const [over] = useState(() => isOver(localStorage, accountId));
  if (over) return children;
  return (
    <Suspense fallback={waiting}>
      <FirstSteps session={session} accountId={accountId} waiting={waiting}>
        {children}
      </FirstSteps>
    </Suspense>
  );
}
