import { lazy, Suspense, useEffect } from 'react';

import { useLeaving } from '@/lib/leaving';

import { useDrafts } from './drafts';

const load = () => import('./LeaveQuestion');
const LeaveQuestion = lazy(load);

/** Asks before unsaved changes are lost: by another page of ours, or by closing this one. */
export function LeaveGuard() {
  const { changed } = useDrafts();
  const dirty = changed.length > 0;
  // A modal in the address, such as a request for access, keeps the page and its forms.
  const leaving = useLeaving(dirty);
  useEffect(() => {
    if (!dirty) return;
    // Before it is needed: by then there may be no connection.
    void load().catch(() => undefined);
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
  return <Suspense>{leaving && <LeaveQuestion onStay={leaving.stay} onGo={leaving.go} />}</Suspense>;
}
