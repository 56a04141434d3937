import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';

import { asProblem, firstApi } from '@/api/first';
import { PageToCome } from '@/components/PageToCome';
import { SessionProblem } from '@/components/feedback/SessionProblem';
import { toastGeneral } from '@/components/feedback/Toasts';
import { useAccountCheck } from '@/lib/accountCheck';
import { browser } from '@/lib/browser';
import { loginAddress, selectAccountAddress } from '@/lib/redirects';
import { type Session, type SignedIn, useSession } from '@/lib/session';
import { useBack } from '@/lib/useBack';

// Signed-in people and visitors of the catalogue do not need it.
const LandingPage = lazy(async () => ({ default: (await import('@/routes/LandingPage')).LandingPage }));
const ForbiddenPage = lazy(async () => ({ default: (await import('@/routes/errors')).ForbiddenPage }));

export type Role = 'user' | 'superadmin';

/** While code or the session load. The outline of a page, so that what comes does not move what is there. */
export function Waiting() {
  return <PageToCome />;
}

function Forbidden({ context }: ComponentProps<typeof ForbiddenPage>) {
  return (
    <Suspense fallback={<Waiting />}>
      <ForbiddenPage context={context} />
    </Suspense>
  );
}

/** Goes to a page outside this application. */
function Leave({ to }: { to: string }) {
  useEffect(() => browser.go(to), [to]);
  return <Waiting />;
}

/** The page to show instead of an address that does not exist. */
export function homeOf(session: Session, hasServices: boolean): string {
  if (session.state !== 'signed-in') return '/';
  if (session.isSuperadmin) return '/superadmin';
  return hasServices ? '/workspace' : '/catalog';
}

/** Whether there are own services or favourites; otherwise people start at the catalogue. `null` while unknown. */
function useHasServices(session: Session): boolean | null {
  const account = session.state === 'signed-in' && !session.isSuperadmin ? session.accountId : null;
  const { data, isError } = firstApi.useCoreGetPagedModelsQuery(
    { account: String(account), onlyMy: true, withFavorites: true, size: 1 },
    { skip: account === null },
  );
  if (account === null || isError) return false;
  return data ? data.paging.totalElements > 0 : null;
}

export function Home() {
  const session = useSession();
  const hasServices = useHasServices(session);
  if (session.state === 'loading' || hasServices === null) return <Waiting />;
  return <Navigate to={homeOf(session, hasServices)} replace />;
}

/** The landing page is for visitors; signed-in people go to their home page. */
export function Landing() {
  const session = useSession();
  if (session.state === 'loading') return <Waiting />;
  if (session.state === 'signed-in') return <Home />;
  return (
    <Suspense fallback={<Waiting />}>
      <LandingPage />
    </Suspense>
  );
}

/** The first page of the private area if it has content, else the catalogue. */
export function WithServices({ children }: { children: ReactNode }) {
  const hasServices = useHasServices(useSession());
  if (hasServices === null) return <Waiting />;
  return hasServices ? children : <Navigate to="/catalog" replace />;
}

/** Private pages. Visitors go to the landing page; people whose session ends meanwhile sign in again and return. */
export function ForRoles({ roles, children }: { roles: readonly Role[]; children: ReactNode }) {
  const session = useSession();
  const back = useBack();
  const [entered, setEntered] = useState(false);
  if (session.state === 'signed-in' && !entered) setEntered(true);
  switch (session.state) {
    case 'loading':
      return <Waiting />;
    case 'broken':
      return <SessionProblem requestId={session.requestId} />;
    case 'anonymous':
      return entered ? <Leave to={loginAddress(back)} /> : <Navigate to="/" replace />;
    case 'signed-in':
      if (!roles.includes(session.isSuperadmin ? 'superadmin' : 'user')) return <Forbidden />;
      return session.isSuperadmin ? children : <WithAccount session={session}>{children}</WithAccount>;
  }
}

function WithAccount({ session, children }: { session: SignedIn; children: ReactNode }) {
  const check = useAccountCheck(session);
  const back = useBack();
  // Staff may be here without an account; these pages need one.
  if (check === 'select' || session.accountId === null) return <Leave to={selectAccountAddress(back)} />;
  // Render while the check runs: each call is authorised anyway, and a slow network causes one wait instead of three.
  return children;
}

/** Around all pages: if the installation cannot return its settings, it can return nothing. */
export function Admitted({ children }: { children: ReactNode }) {
  const { error, data } = firstApi.useCoreGetFrontendSettingsQuery();
  const problem = asProblem(error);
  useSessionEnd();
  if (problem?.status !== 403 || data) return children;
  return <Forbidden context={problem.code.includes('from_ip') ? 'ip' : undefined} />;
}

/** On public pages nothing is lost when a session ends, but people should be told. */
function useSessionEnd(): void {
  const { t } = useTranslation('Error');
  const { state } = useSession();
  const [before, setBefore] = useState(state);
  const ended = before === 'signed-in' && state === 'anonymous';
  if (before !== state) setBefore(state);
  useEffect(() => {
    if (ended) toastGeneral(t('sessionEnded'));
  }, [ended, t]);
}
