import { Center, Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, useLocation } from 'react-router';

import { RouteBroken } from '@/app/RouteBroken';
import { ProblemView } from '@/components/ProblemView';
import { Shell } from '@/features/shell/Shell';
import { type Session, useSession } from '@/lib/session';
import { CatalogPage } from '@/routes/CatalogPage';
import { ForbiddenPage, NotFoundPage } from '@/routes/errors';
import { LandingPage } from '@/routes/LandingPage';

const ServicePage = lazy(async () => ({ default: (await import('@/routes/ServicePage')).ServicePage }));
const WorkspacePage = lazy(async () => ({ default: (await import('@/routes/WorkspacePage')).WorkspacePage }));
const KeysPage = lazy(async () => ({ default: (await import('@/routes/KeysPage')).KeysPage }));
const BillingPage = lazy(async () => ({ default: (await import('@/routes/BillingPage')).BillingPage }));
const AccountInfoPage = lazy(async () => ({ default: (await import('@/routes/AccountInfoPage')).AccountInfoPage }));
const CreateServicePage = lazy(async () => ({ default: (await import('@/routes/CreateServicePage')).CreateServicePage }));
const ApiDocsPage = lazy(() => import('@/routes/ApiDocsPage'));
const SuperadminPage = lazy(async () => ({ default: (await import('@/routes/SuperadminPage')).SuperadminPage }));
const WorkspaceFrame = lazy(async () => ({ default: (await import('@/features/workspace/WorkspaceFrame')).WorkspaceFrame }));

function Waiting() {
  return (
    <Center flex={1}>
      <Loader size="sm" />
    </Center>
  );
}

/** Where somebody belongs who asks for an address that does not exist. */
export function homeOf(session: Session): string {
  if (session.state !== 'signed-in') return '/';
  return session.isSuperadmin ? '/superadmin' : '/catalog';
}

/** The private area: people only, and only with an account. */
function ForMembers({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  switch (session.state) {
    case 'loading':
      return <Waiting />;
    case 'broken':
      return <ProblemView problem={{ status: 0, code: 'client.no_answer', message: '', args: {}, requestId: session.requestId }} />;
    case 'anonymous':
      return <Navigate to="/" replace />;
    case 'signed-in':
      if (session.accountId !== null) return children;
      window.location.assign(`/c/select-account?redirectUrl=${encodeURIComponent(pathname + search)}`);
      return <Waiting />;
  }
}

/** Administration: others are told that there is nothing for them. */
function ForSuperadmins({ children }: { children: ReactNode }) {
  const session = useSession();
  if (session.state === 'loading') return <Waiting />;
  if (session.state !== 'signed-in') return <Navigate to="/" replace />;
  return session.isSuperadmin ? children : <ForbiddenPage />;
}

function Start({ landing = false }: { landing?: boolean }) {
  const session = useSession();
  if (session.state === 'loading') return <Waiting />;
  return session.state === 'signed-in' && !landing ? <Navigate to={homeOf(session)} replace /> : <LandingPage />;
}

function Elsewhere() {
  const session = useSession();
  if (session.state === 'loading') return <Waiting />;
  return <Navigate to={homeOf(session)} replace />;
}

const page = (element: ReactNode) => <Suspense fallback={<Waiting />}>{element}</Suspense>;
const member = (element: ReactNode) => page(<ForMembers>{element}</ForMembers>);

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <RouteBroken />,
    children: [
      { path: '/', element: <Start /> },
      { path: '/landing', element: <Start landing /> },
      { path: '/swagger-ui', element: page(<ApiDocsPage />) },
      { path: '/catalog', element: <CatalogPage /> },
      { path: '/catalog/:account/:service/:tab?', element: page(<ServicePage />) },
      {
        path: '/workspace',
        element: member(<WorkspaceFrame />),
        children: [
          { index: true, element: page(<WorkspacePage />) },
          { path: 'create-service', element: page(<CreateServicePage />) },
          { path: 'api-keys', element: page(<KeysPage />) },
          { path: 'billing', element: page(<BillingPage />) },
          { path: 'account-info', element: page(<AccountInfoPage />) },
        ],
      },
      { path: '/superadmin', element: page(<ForSuperadmins><SuperadminPage /></ForSuperadmins>) },
      { path: '/403', element: <ForbiddenPage /> },
      { path: '/404', element: <NotFoundPage /> },
      { path: '*', element: <Elsewhere /> },
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
