import { lazy, type ReactNode, Suspense } from 'react';
import type { RouteObject } from 'react-router';

import { PageToCome } from '@/components/PageToCome';

const OwnServicePage = lazy(async () => ({ default: (await import('./OwnServicePage')).OwnServicePage }));
const CreateServicePage = lazy(async () => ({ default: (await import('./CreateServicePage')).CreateServicePage }));
const KeysPage = lazy(async () => ({ default: (await import('./KeysPage')).KeysPage }));
const SecretsPage = lazy(async () => ({ default: (await import('./SecretsPage')).SecretsPage }));
const RegistriesPage = lazy(async () => ({ default: (await import('./RegistriesPage')).RegistriesPage }));
const ServicesPage = lazy(async () => ({ default: (await import('./ServicesPage')).ServicesPage }));
const GroupsPage = lazy(async () => ({ default: (await import('./GroupsPage')).GroupsPage }));
const ImagesPage = lazy(async () => ({ default: (await import('./ImagesPage')).ImagesPage }));
const ImagePage = lazy(async () => ({ default: (await import('./ImagePage')).ImagePage }));
const DataImagesPage = lazy(async () => ({ default: (await import('./DataImagesPage')).DataImagesPage }));
const DataImagePage = lazy(async () => ({ default: (await import('./DataImagePage')).DataImagePage }));
const DatasetsPage = lazy(async () => ({ default: (await import('./DatasetsPage')).DatasetsPage }));
const DatasetPage = lazy(async () => ({ default: (await import('./DatasetPage')).DatasetPage }));
const BucketPage = lazy(async () => ({ default: (await import('./BucketPage')).BucketPage }));
const ResourceGroupsPage = lazy(async () => ({ default: (await import('./ResourceGroupsPage')).ResourceGroupsPage }));
const ResourceGroupPage = lazy(async () => ({ default: (await import('./ResourceGroupPage')).ResourceGroupPage }));
const ServerTemplatesPage = lazy(async () => ({
  default: (await import('./ServerTemplatesPage')).ServerTemplatesPage,
}));

const page = (element: ReactNode) => <Suspense fallback={<PageToCome />}>{element}</Suspense>;

/** The private area's routes for services, keys and hosting. */
export const workspaceRoutes: RouteObject[] = [
  { path: 'services', element: page(<ServicesPage />) },
  { path: 'service-groups', element: page(<GroupsPage />) },
  { path: 'create-service', element: page(<CreateServicePage />) },
  { path: 'model/:account/:service/:tab?/:section?', element: page(<OwnServicePage />) },
  { path: 'api-keys', element: page(<KeysPage />) },
  { path: 'secrets', element: page(<SecretsPage />) },
  { path: 'registries', element: page(<RegistriesPage />) },
  { path: 'images', element: page(<ImagesPage />) },
  { path: 'image/:account/:image/:tab?', element: page(<ImagePage />) },
  { path: 'data-images', element: page(<DataImagesPage />) },
  { path: 'data-image/:account/:image/:tab?', element: page(<DataImagePage />) },
  { path: 'datasets', element: page(<DatasetsPage />) },
  { path: 'dataset/:account/:dataset/:tab?', element: page(<DatasetPage />) },
  { path: 's3-bucket', element: page(<BucketPage />) },
  { path: 'resource-groups', element: page(<ResourceGroupsPage />) },
  { path: 'server-templates', element: page(<ServerTemplatesPage />) },
  { path: 'resource-group/:owner/:name/:tab?/:section?', element: page(<ResourceGroupPage />) },
];
