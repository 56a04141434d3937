import { lazy, type ReactNode, Suspense } from 'react';
import { type RouteObject, useLocation, useRoutes } from 'react-router';

import { Shell } from '@/features/shell/Shell';
import { CatalogPage } from '@/routes/CatalogPage';

import { ErrorBoundary } from './ErrorBoundary';
import { Admitted, ForRoles, Home, Landing, type Role, Waiting } from './guards';

const ServicePage = lazy(async () => ({ default: (await import('@/routes/ServicePage')).ServicePage }));
const ComparePage = lazy(() => import('@/routes/ComparePage'));
const ApiDocsPage = lazy(() => import('@/routes/ApiDocsPage'));
const DocumentationPage = lazy(() => import('@/routes/DocumentationPage'));
const SuperadminPage = lazy(async () => ({ default: (await import('@/routes/SuperadminPage')).SuperadminPage }));
const AdministeredAccountPage = lazy(async () => ({
  default: (await import('@/routes/AdministeredAccountPage')).AdministeredAccountPage,
}));
const JobStatusPage = lazy(async () => ({ default: (await import('@/routes/workspace/JobStatusPage')).JobStatusPage }));
const AppPage = lazy(async () => ({ default: (await import('@/routes/AppPage')).AppPage }));
const AppAuthPage = lazy(async () => ({ default: (await import('@/routes/AppPage')).AppAuthPage }));
const ForbiddenRoute = lazy(async () => ({ default: (await import('@/routes/errors')).ForbiddenRoute }));
const NotFoundPage = lazy(async () => ({ default: (await import('@/routes/errors')).NotFoundPage }));
const Workspace = lazy(() => import('./Workspace'));

const page = (element: ReactNode) => <Suspense fallback={<Waiting />}>{element}</Suspense>;
const only = (roles: readonly Role[], element: ReactNode) => page(<ForRoles roles={roles}>{element}</ForRoles>);

export const routes: RouteObject[] = [
  {
    element: (
      <Admitted>
        <Shell />
      </Admitted>
    ),
    children: [
      { path: '/', element: <Landing /> },
      { path: '/landing', element: <Landing /> },
      { path: '/swagger-ui', element: page(<ApiDocsPage />) },
      { path: '/docs/:page?', element: page(<DocumentationPage />) },
      { path: '/catalog', element: <CatalogPage /> },
      { path: '/catalog/compare', element: page(<ComparePage />) },
      { path: '/catalog/:account/:service/:tab?', element: page(<ServicePage />) },
      { path: '/workspace/*', element: page(<Workspace />) },
      { path: '/superadmin/:place?', element: only(['superadmin'], <SuperadminPage />) },
      { path: '/superadmin/account/:account/:tab?', element: only(['superadmin'], <AdministeredAccountPage />) },
      { path: '/job-status', element: only(['superadmin', 'user'], <JobStatusPage />) },
      { path: '/app/auth', element: page(<AppAuthPage />) },
      { path: '/app/:account/:service', element: page(<AppPage />) },
      { path: '/403', element: page(<ForbiddenRoute />) },
      { path: '/404', element: page(<NotFoundPage />) },
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
