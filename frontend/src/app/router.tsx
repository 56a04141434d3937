import { lazy, type ReactNode, Suspense } from 'react';
import { type RouteObject, useLocation, useRoutes } from 'react-router';

import { Shell } from '@/features/shell/Shell';
import { CatalogPage } from '@/routes/CatalogPage';
import { ForbiddenRoute, NotFoundPage } from '@/routes/errors';
import { workspaceRoutes } from '@/routes/workspace/workspaceRoutes';

import { ErrorBoundary } from './ErrorBoundary';
import { Admitted, ForRoles, Home, Landing, type Role, Waiting, WithServices } from './guards';

const ServicePage = lazy(async () => ({ default: (await import('@/routes/ServicePage')).ServicePage }));
const ComparePage = lazy(() => import('@/routes/ComparePage'));
const WorkspacePage = lazy(async () => ({ default: (await import('@/routes/workspace/WorkspacePage')).WorkspacePage }));
const BillingPage = lazy(async () => ({ default: (await import('@/routes/workspace/BillingPage')).BillingPage }));
const AccountInfoPage = lazy(async () => ({ default: (await import('@/routes/workspace/AccountInfoPage')).AccountInfoPage }));
const ApiDocsPage = lazy(() => import('@/routes/ApiDocsPage'));
const DocumentationPage = lazy(() => import('@/routes/DocumentationPage'));
const SuperadminPage = lazy(async () => ({ default: (await import('@/routes/SuperadminPage')).SuperadminPage }));
const JobStatusPage = lazy(async () => ({ default: (await import('@/routes/workspace/JobStatusPage')).JobStatusPage }));
const AppPage = lazy(async () => ({ default: (await import('@/routes/AppPage')).AppPage }));
const AppAuthPage = lazy(async () => ({ default: (await import('@/routes/AppPage')).AppAuthPage }));
const WorkspaceFrame = lazy(async () => ({ default: (await import('@/features/workspace/WorkspaceFrame')).WorkspaceFrame }));

const page = (element: ReactNode) => <Suspense fallback={<Waiting />}>{element}</Suspense>;
const only = (roles: readonly Role[], element: ReactNode) => page(<ForRoles roles={roles}>{element}</ForRoles>);

export const routes: RouteObject[] = [
  {
    element: <Admitted><Shell /></Admitted>,
    children: [
      { path: '/', element: <Landing /> },
      { path: '/landing', element: <Landing /> },
      { path: '/swagger-ui', element: page(<ApiDocsPage />) },
      { path: '/docs/:page?', element: page(<DocumentationPage />) },
      { path: '/catalog', element: <CatalogPage /> },
      { path: '/catalog/compare', element: page(<ComparePage />) },
      { path: '/catalog/:account/:service/:tab?', element: page(<ServicePage />) },
      {
        path: '/workspace',
        element: only(['user'], <WorkspaceFrame />),
        children: [
          { index: true, element: <WithServices>{page(<WorkspacePage />)}</WithServices> },
          ...workspaceRoutes,
          { path: 'billing', element: page(<BillingPage />) },
          { path: 'account-info/:tab?', element: page(<AccountInfoPage />) },
        ],
      },
      { path: '/superadmin/:place?', element: only(['superadmin'], <SuperadminPage />) },
      { path: '/job-status', element: only(['superadmin', 'user'], <JobStatusPage />) },
      { path: '/app/auth', element: page(<AppAuthPage />) },
      { path: '/app/:account/:service', element: page(<AppPage />) },
      { path: '/403', element: <ForbiddenRoute /> },
      { path: '/404', element: <NotFoundPage /> },
      { path: '*', element: <Home /> },
    ],
  },
];

/** The page of the address. A defect of one page ends when another is opened. */
export function Pages() {
  return (
    <ErrorBoundary place={useLocation().key} onAgain={() => location.reload()}>
      {useRoutes(routes)}
    </ErrorBoundary>
  );
}
