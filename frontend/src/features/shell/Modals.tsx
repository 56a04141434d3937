import { lazy, Suspense } from 'react';

import { useModal } from '@/lib/modals';
import { useSession } from '@/lib/session';

const RefillModal = lazy(() => import('@/features/billing/RefillModal'));
const RequestModal = lazy(() => import('@/features/requests/RequestModal'));

/** The modal named in the address, if the user may open it; each is loaded on demand. */
export function Modals() {
  const { opened, about, close } = useModal();
  const session = useSession();
  if (!opened || session.state === 'loading') return null;
  const account = session.state === 'signed-in' ? session.accountId : null;
  const open = opened === 'demo' || opened === 'contact';
  if (!open && account === null) return null;
  return (
    <Suspense fallback={null}>
      {opened !== 'refill' && (
        <RequestModal name={opened} about={about} account={account === null ? null : String(account)} onClose={close} />
      )}
      {opened === 'refill' && session.state === 'signed-in' && account !== null && (
        <RefillModal session={session} accountId={account} onClose={close} />
      )}
    </Suspense>
  );
}
