import { lazy, type ReactNode, Suspense } from 'react';
import { type RouteObject, useRoutes } from 'react-router';

import { WorkspaceFrame } from '@/features/workspace/WorkspaceFrame';
import { workspaceRoutes } from '@/routes/workspace/workspaceRoutes';

import { ForRoles, Home, Waiting, WithServices } from './guards';

const WorkspacePage = lazy(async () => ({ default: (await import('@/routes/workspace/WorkspacePage')).WorkspacePage }));
const BillingPage = lazy(async () => ({ default: (await import('@/routes/workspace/BillingPage')).BillingPage }));
const AccountInfoPage = lazy(async () => ({
  default: (await import('@/routes/workspace/AccountInfoPage')).AccountInfoPage,
}));

const page = (element: ReactNode) => <Suspense fallback={<Waiting />}>{element}</Suspense>;

const routes: RouteObject[] = [
  {
    element: (
      <ForRoles roles={['user']}>
        <WorkspaceFrame />
      </ForRoles>
    ),
    children: [
      { index: true, element: <WithServices>{page(<WorkspacePage />)}</WithServices> },
      ...workspaceRoutes,
      { path: 'billing', element: page(<BillingPage />) },
      { path: 'account-info/:tab?', element: page(<AccountInfoPage />) },
    ],
  },
  { path: '*', element: <Home /> },
];

/** The addresses of the private area, which visitors do not load. */
export default function Workspace() {
  return useRoutes(routes);
}
