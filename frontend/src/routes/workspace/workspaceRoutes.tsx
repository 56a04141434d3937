import { lazy, type ReactNode, Suspense } from 'react';
import type { RouteObject } from 'react-router';

import { PageToCome } from '@/components/PageToCome';

const OwnServicePage = lazy(async () => ({ default: (await import('./OwnServicePage')).OwnServicePage }));
const CreateServicePage = lazy(async () => ({ default: (await import('./CreateServicePage')).CreateServicePage }));
const KeysPage = lazy(async () => ({ default: (await import('./KeysPage')).KeysPage }));
const SecretsPage = lazy(async () => ({ default: (await import('./SecretsPage')).SecretsPage }));
const ServicesPage = lazy(async () => ({ default: (await import('./ServicesPage')).ServicesPage }));
const GroupsPage = lazy(async () => ({ default: (await import('./GroupsPage')).GroupsPage }));
const ImagesPage = lazy(async () => ({ default: (await import('./ImagesPage')).ImagesPage }));
const ResourceGroupsPage = lazy(async () => ({ default: (await import('./ResourceGroupsPage')).ResourceGroupsPage }));
const ResourceGroupPage = lazy(async () => ({ default: (await import('./ResourceGroupPage')).ResourceGroupPage }));

const page = (element: ReactNode) => <Suspense fallback={<PageToCome />}>{element}</Suspense>;

/** The private area's routes for services, keys and hosting. */
export const workspaceRoutes: RouteObject[] = [
  { path: 'services', element: page(<ServicesPage />) },
  { path: 'service-groups', element: page(<GroupsPage />) },
  { path: 'create-service', element: page(<CreateServicePage />) },
  { path: 'model/:account/:service/:tab?/:section?', element: page(<OwnServicePage />) },
  { path: 'api-keys', element: page(<KeysPage />) },
  { path: 'secrets', element: page(<SecretsPage />) },
  { path: 'images', element: page(<ImagesPage />) },
  { path: 'resource-groups', element: page(<ResourceGroupsPage />) },
  { path: 'resource-group/:owner/:name/:tab?', element: page(<ResourceGroupPage />) },
];
