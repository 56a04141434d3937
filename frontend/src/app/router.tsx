import { lazy, type ReactNode, Suspense } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, useParams } from 'react-router';

import { Shell } from '@/features/shell/Shell';
import { CatalogPage } from '@/routes/CatalogPage';
import { ForbiddenRoute, NotFoundPage } from '@/routes/errors';

import { Admitted, ForRoles, Home, Landing, type Role, Waiting, WithServices } from './guards';
import { RouteBroken } from './RouteBroken';

const ServicePage = lazy(async () => ({ default: (await import('@/routes/ServicePage')).ServicePage }));
const WorkspacePage = lazy(async () => ({ default: (await import('@/routes/WorkspacePage')).WorkspacePage }));
const KeysPage = lazy(async () => ({ default: (await import('@/routes/KeysPage')).KeysPage }));
const BillingPage = lazy(async () => ({ default: (await import('@/routes/BillingPage')).BillingPage }));
const AccountInfoPage = lazy(async () => ({ default: (await import('@/routes/AccountInfoPage')).AccountInfoPage }));
const CreateServicePage = lazy(async () => ({ default: (await import('@/routes/CreateServicePage')).CreateServicePage }));
const ApiDocsPage = lazy(() => import('@/routes/ApiDocsPage'));
const SuperadminPage = lazy(async () => ({ default: (await import('@/routes/SuperadminPage')).SuperadminPage }));
const WorkspaceFrame = lazy(async () => ({ default: (await import('@/features/workspace/WorkspaceFrame')).WorkspaceFrame }));

const page = (element: ReactNode) => <Suspense fallback={<Waiting />}>{element}</Suspense>;
const only = (roles: readonly Role[], element: ReactNode) => page(<ForRoles roles={roles}>{element}</ForRoles>);

/** Notifications and tasks link to services by these addresses; a service has one page. */
function ServiceAddress({ tab = '' }: { tab?: string }) {
  const { account = '', service = '' } = useParams();
  return <Navigate to={`/catalog/${encodeURIComponent(account)}/${encodeURIComponent(service)}${tab}`} replace />;
}

export const routes: RouteObject[] = [
  {
    element: <Admitted><Shell /></Admitted>,
    errorElement: <RouteBroken />,
    children: [
      { path: '/', element: <Landing /> },
      { path: '/landing', element: <Landing /> },
      { path: '/swagger-ui', element: page(<ApiDocsPage />) },
      { path: '/catalog', element: <CatalogPage /> },
      { path: '/catalog/:account/:service/:tab?', element: page(<ServicePage />) },
      {
        path: '/workspace',
        element: only(['user'], <WorkspaceFrame />),
        children: [
          { index: true, element: <WithServices>{page(<WorkspacePage />)}</WithServices> },
          { path: 'create-service', element: page(<CreateServicePage />) },
          { path: 'api-keys', element: page(<KeysPage />) },
          { path: 'billing', element: page(<BillingPage />) },
          { path: 'account-info', element: page(<AccountInfoPage />) },
        ],
      },
      { path: '/workspace/model/:account/:service', element: only(['user'], <ServiceAddress />) },
      { path: '/workspace/model/:account/:service/diagnostic/*', element: only(['user'], <ServiceAddress tab="/diagnostics" />) },
      { path: '/superadmin', element: only(['superadmin'], <SuperadminPage />) },
      { path: '/403', element: <ForbiddenRoute /> },
      { path: '/404', element: <NotFoundPage /> },
      { path: '*', element: <Home /> },
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
