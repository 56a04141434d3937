import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import type { JsonBodyType } from 'msw';
import { describe, expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { keyOf } from '@/testing/keys';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { ANN, answers, refusal, signedIn } from '@/testing/server';

import { DataImagesPage } from './DataImagesPage';
import { DatasetsPage } from './DatasetsPage';
import { GroupsPage } from './GroupsPage';
import { ImagesPage } from './ImagesPage';
import { JobStatusPage } from './JobStatusPage';
import { KeysPage } from './KeysPage';
import { ResourceGroupsPage } from './ResourceGroupsPage';
import { ServicesPage } from './ServicesPage';
import { WorkspacePage } from './WorkspacePage';

const ACCOUNT = `/api/mlpcore/account/${ANN.accountId}`;
const NOBODY = { modelId: 3, accountId: ANN.accountId ?? 0 };
const paged = (...records: JsonBodyType[]) => ({
  paging: { totalElements: records.length, totalPages: records.length, pageNumber: 0, pageSize: 20 },
  records,
});
const MODEL = modelOf({
  id: NOBODY,
  displayName: 'Counter of words',
  callStatistics: null,
  measuredStartTimeSec: null,
  trainingModelId: null,
  trainingModelName: null,
  trainingDatasetId: null,
  fittable: false,
  modelGroupName: null,
  lastActivity: null,
});
const KEY = keyOf(1, { name: 'Production' });
const DATASET = {
  id: { accountId: 1, datasetId: 7 },
  name: 'shop-faq',
  datasetAccountName: 'acme',
  description: null,
  dataType: 'json/faq',
  accessMode: 'private',
  warning: null,
  warnings: [],
  size: 120,
  sha256: null,
  rows: 3,
  columns: ['question', 'answer'],
  version: 1,
  allowedTypes: ['json/faq', 'csv/faq', 'xlsx/faq'],
  contentAllowed: true,
  createdAt: 0,
  updatedAt: 0,
};
const TASK = {
  jobId: '1',
  title: 'Start',
  children: [],
  percentage: 40,
  viewStatus: 'RUN',
  currentStep: '',
  operation: 'RUN',
  operatedEntity: {
    name: 'model',
    key: { accountId: 1, modelId: 5, instanceId: null, groupOwnerId: null, groupName: null, serverId: null },
  },
  operatedEntityName: 'greeting',
  persistentJobStatus: 'RUN',
  runAt: '2026-11-21T12:00:00Z',
  endTime: null,
  step: '',
  stepKey: null,
  errorCode: null,
  errorArgs: {},
  errorMessage: null,
  interrupted: false,
  isInterruptible: false,
  waitFor: [],
  unreadStatus: false,
};

interface Listing {
  page: ReactElement;
  path: string;
  full: JsonBodyType;
  empty: JsonBodyType;
  /** What the data shows. */
  shown: string;
  /** What an empty page says, and the button or link of its next step; without one where others make the entries. */
  none: string;
  next: readonly string[];
}

const PAGES: Record<string, Listing> = {
  groups: {
    page: <GroupsPage />,
    path: `${ACCOUNT}/model-group`,
    full: [{ id: { accountId: 1, groupId: 4 }, name: 'Search team' }],
    empty: [],
    shown: 'Search team',
    none: 'No groups yet',
    next: ['Create the first group'],
  },
  datasets: {
    page: <DatasetsPage />,
    path: `${ACCOUNT}/dataset`,
    full: [DATASET],
    empty: [],
    shown: 'shop-faq',
    none: 'No datasets',
    next: ['Create the first dataset'],
  },
  images: {
    page: <ImagesPage />,
    path: `${ACCOUNT}/image-v2`,
    full: paged({
      id: NOBODY,
      name: 'Counter image',
      imageAccountName: 'acme',
      image: 'registry.example.org/counter:1',
      accessMode: 'private',
    }),
    empty: paged(),
    shown: 'Counter image',
    none: 'No images',
    next: ['Create the first image'],
  },
  'data images': {
    page: <DataImagesPage />,
    path: `${ACCOUNT}/data-image`,
    full: paged({
      id: { accountId: 1, imageId: 4 },
      name: 'Weights',
      imageAccountName: 'acme',
      image: 'registry.example.org/weights:1',
      sourcePath: '/models',
      accessMode: 'private',
    }),
    empty: paged(),
    shown: 'Weights',
    none: 'No data images',
    next: ['Create the first data image'],
  },
  keys: {
    page: <KeysPage />,
    path: `${ACCOUNT}/token`,
    full: [KEY],
    empty: [],
    shown: 'Production',
    none: 'No keys yet',
    next: ['Create the first key'],
  },
  'resource groups': {
    page: <ResourceGroupsPage />,
    path: `${ACCOUNT}/owned-resource-groups`,
    full: [
      { ownerId: ANN.accountId, name: 'gpu-hall', resourceGroupType: 'DOCKER', access: 'PRIVATE', default: false },
    ],
    empty: [],
    shown: 'gpu-hall',
    none: 'No groups of your own',
    next: ['Create the first group'],
  },
  services: {
    page: <ServicesPage />,
    path: `${ACCOUNT}/model`,
    full: paged(MODEL),
    empty: paged(),
    shown: 'Counter of words',
    none: 'No services yet',
    next: ['Publish the first service'],
  },
  'my space': {
    page: <WorkspacePage />,
    path: `${ACCOUNT}/model`,
    full: paged(MODEL),
    empty: paged(),
    shown: 'Counter of words',
    none: 'No services of yours yet',
    next: ['Create a service'],
  },
  tasks: {
    page: <JobStatusPage />,
    path: '/api/mlpcore/task/short',
    full: [TASK],
    empty: [],
    shown: 'greeting',
    none: 'No tasks',
    next: [],
  },
};

/** Member pages render only after the user is known. */
function Known({ page }: { page: ReactElement }) {
  return useSession().state === 'signed-in' ? page : null;
}

function open({ page, path }: Listing, body: JsonBodyType, status = 200) {
  signedIn();
  answers('/api/mlpcore/system-config/task-types', []);
  answers(`${ACCOUNT}/model-group`, []);
  answers(`${ACCOUNT}/model-counts`, { createdByMe: 1, favorites: 0, fitted: 0 });
  answers(`${ACCOUNT}/call-statistics`, []);
  answers(`${ACCOUNT}/deployable-resource-groups`, []);
  answers(`${ACCOUNT}/token`, []);
  answers(path, body, status);
  show(<Known page={page} />);
}

describe.each(Object.entries(PAGES))('the page of %s', (_name, listing) => {
  test('shows what there is', async () => {
    open(listing, listing.full);
    expect(await screen.findByText(listing.shown)).toBeInTheDocument();
    expect(screen.queryByText(listing.none)).toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('says what would be there, and how to make the first', async () => {
    open(listing, listing.empty);
    expect(await screen.findByText(listing.none)).toBeInTheDocument();
    const steps = [...screen.queryAllByRole('button'), ...screen.queryAllByRole('link')].map(
      ({ textContent }) => textContent,
    );
    expect(steps).toEqual(expect.arrayContaining([...listing.next]));
  });

  test('says why it was refused, and reads again', async () => {
    open(listing, refusal('mlp.core.unavailable', 503), 503);
    expect(await screen.findByRole('alert')).toBeInTheDocument();
    expect(screen.queryByText(listing.none)).toBeNull();
    answers(listing.path, listing.full);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(listing.shown)).toBeInTheDocument();
  });
});
