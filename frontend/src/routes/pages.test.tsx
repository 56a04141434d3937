import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import type { ReactElement } from 'react';
import { describe, expect, test, vi } from 'vitest';

import { platform, showToMember, silent } from '@/testing/documented';
import { show } from '@/testing/render';
import { refusal, server } from '@/testing/server';

import { answerTo, type Reader, type ShownState } from '../../e2e/gallery/answers.ts';
import ApiDocsPage from './ApiDocsPage';
import { AdministeredAccountPage } from './AdministeredAccountPage';
import { AppPage } from './AppPage';
import { CatalogPage } from './CatalogPage';
import { ServicePage } from './ServicePage';
import { SuperadminPage } from './SuperadminPage';
import { BillingPage } from './workspace/BillingPage';
import { BucketPage } from './workspace/BucketPage';
import { CreateServicePage } from './workspace/CreateServicePage';
import { OwnServicePage } from './workspace/OwnServicePage';
import { ResourceGroupPage } from './workspace/ResourceGroupPage';

vi.mock('swagger-ui-dist/swagger-ui-es-bundle.js', () => ({
  default: ({ domNode, spec }: { domNode: HTMLElement; spec: { info: { title: string } } }) =>
    domNode.append(spec.info.title),
}));

interface Shown {
  page: ReactElement;
  reader: Reader;
  path: string;
  route?: string;
  /** The requests whose answers the page is about. */
  data: RegExp;
  heading: string;
  /** A part of what the data shows. */
  shown: RegExp;
  /** What is different in the typical state. */
  typically?: () => void;
  /** What the page says if there is nothing; absent if the page exists only with its object. */
  empty?: string;
  /** What the page says of an answer 403; another account's object is like a missing one. */
  refused: { code: string; says: RegExp };
}

const FOREIGN = (name: string) => ({ code: 'account.access.denied', says: new RegExp(`There is no ${name} here`) });
const WITHOUT_RIGHT = { code: 'mlp.core.access_denied', says: /access|right|allow/i };
/** What a refused answer says, on all pages. */
const NOT_READ = /mlpcore does not answer|could not be loaded/;
/** No page says it. */
const ABSENT = 'a page without an empty state';
const SERVICE = /\/mlpcore\/account\/[^/]+\/model\/[^/]+$/;

const PAGES: Record<string, Shown> = {
  Catalog: {
    page: <CatalogPage />,
    reader: 'visitor',
    path: '/catalog',
    data: /\/(catalog-category|models(\/featured)?)(\?.*)?$/,
    heading: 'Catalogue',
    shown: /Names in news/,
    empty: 'No services yet',
    refused: WITHOUT_RIGHT,
  },
  Service: {
    page: <ServicePage />,
    reader: 'visitor',
    path: '/catalog/acme/ner-ru',
    route: '/catalog/:account/:service/:tab?',
    data: SERVICE,
    heading: 'Names in news',
    shown: /per call$/,
    refused: FOREIGN('acme/ner-ru'),
  },
  Billing: {
    page: <BillingPage />,
    reader: 'member',
    path: '/workspace/billing',
    data: /\/mlpbilling\/account\/1\/(balance|statement|refill\/history)(\?.*)?$/,
    heading: 'Balance',
    shown: /1.234\.50/,
    empty: 'No refills yet',
    refused: WITHOUT_RIGHT,
  },
  Bucket: {
    page: <BucketPage />,
    reader: 'member',
    path: '/workspace/s3-bucket',
    data: /\/s3\/(object|storage)(\?.*)?$/,
    heading: 'S3 bucket',
    shown: /readme\.md/,
    empty: 'The bucket is empty',
    refused: WITHOUT_RIGHT,
  },
  CreateService: {
    page: <CreateServicePage />,
    reader: 'member',
    path: '/workspace/create-service?service=1',
    data: SERVICE,
    heading: 'Create a service',
    shown: /^No instance is running$/,
    refused: WITHOUT_RIGHT,
    typically: stopped,
  },
  ResourceGroup: {
    page: <ResourceGroupPage />,
    reader: 'member',
    path: '/workspace/resource-group/1/main',
    route: '/workspace/resource-group/:owner/:name/:tab?',
    data: /\/(resource-groups\/main|server\/status)$/,
    heading: 'ner-ru',
    shown: /gpu-01/,
    empty: 'No servers',
    refused: FOREIGN('main'),
  },
  OwnService: {
    page: <OwnServicePage />,
    reader: 'member',
    path: '/workspace/model/1/1',
    route: '/workspace/model/:account/:service/:tab?/:section?',
    data: SERVICE,
    heading: 'Names in news',
    shown: /acme\/ner-ru/,
    refused: FOREIGN('1'),
  },
  Superadmin: {
    page: <SuperadminPage />,
    reader: 'superadmin',
    path: '/superadmin',
    route: '/superadmin/:place?',
    data: /\/admin\/accounts(\?.*)?$/,
    heading: 'Administration',
    shown: /charles@example\.org/,
    empty: 'No such account',
    refused: WITHOUT_RIGHT,
  },
  AdministeredAccount: {
    page: <AdministeredAccountPage />,
    reader: 'superadmin',
    path: '/superadmin/account/1',
    route: '/superadmin/account/:account/:tab?',
    data: /\/mlpcore\/admin\/account\/1$/,
    heading: 'Acme Research',
    shown: /^acme$/,
    refused: WITHOUT_RIGHT,
  },
  App: {
    page: <AppPage />,
    reader: 'member',
    path: '/app/acme/ner-ru',
    route: '/app/:account/:service',
    data: SERVICE,
    heading: 'Names in news',
    shown: /Finds people/,
    refused: FOREIGN('acme/ner-ru'),
  },
  ApiDocs: {
    page: <ApiDocsPage />,
    reader: 'visitor',
    path: '/swagger-ui',
    data: /openapi\.json$/,
    heading: 'API documentation',
    shown: /^The document of mlpcore$/,
    refused: { code: 'mlp.core.access_denied', says: /could not be loaded/ },
  },
};

function answer({ reader }: Shown, state: ShownState, change: () => void = () => undefined): void {
  platform(state, reader);
  server.use(
    http.get('*/api/:service/openapi.json', ({ params }) =>
      state === 'error'
        ? new HttpResponse(null, { status: 503 })
        : HttpResponse.json({ info: { title: `The document of ${String(params['service'])}` }, paths: {} }),
    ),
  );
  change();
}

function open(shown: Shown, state: ShownState, change?: () => void) {
  answer(shown, state, change);
  const { page, reader, path, route } = shown;
  const options = route === undefined ? { path } : { path, route };
  return reader === 'visitor' ? show(page, options) : showToMember(page, options);
}

/** A service that is not started: the last step of its creation stays. */
function stopped(): void {
  const { body } = answerTo('GET', '/api/mlpcore/account/1/model/1', 'typical', 'member');
  server.use(
    http.get('*/api/mlpcore/account/1/model/:model/status', () =>
      HttpResponse.json({ state: 'INACTIVE', startTimeSeconds: 12, waiting: null }),
    ),
  );
  server.use(http.get(SERVICE, () => HttpResponse.json({ ...(JSON.parse(body) as object), state: 'INACTIVE' })));
}

describe.each(Object.entries(PAGES))('the page %s', (_name, page) => {
  test('shows what the platform answers', async () => {
    open(page, 'typical', page.typically);
    expect(await screen.findAllByText(page.shown)).not.toHaveLength(0);
    expect(screen.getByRole('heading', { level: 1, name: page.heading })).toBeInTheDocument();
    expect(screen.queryByText(NOT_READ)).toBeNull();
  });

  test('has its outline while the answer is awaited', async () => {
    const { container } = open(page, 'typical', () => silent(page.data));
    expect(await screen.findByRole('heading', { level: 1 })).toBeInTheDocument();
    expect(container.querySelector('.mantine-Skeleton-root, [aria-busy=true]')).not.toBeNull();
    expect(screen.queryByText(page.shown)).toBeNull();
    expect(screen.queryByText(page.empty ?? ABSENT)).toBeNull();
  });

  test('says what failed, and reads again', async () => {
    open(page, 'error');
    expect(await screen.findAllByText(NOT_READ)).not.toHaveLength(0);
    expect(screen.queryByText(page.empty ?? ABSENT)).toBeNull();
    answer(page, 'typical', page.typically);
    for (const button of screen.getAllByRole('button', { name: 'Try again' })) await userEvent.click(button);
    expect(await screen.findAllByText(page.shown)).not.toHaveLength(0);
    await waitFor(() => expect(screen.queryByText(NOT_READ)).toBeNull());
  });

  test('says that the answer is refused', async () => {
    const { code, says } = page.refused;
    open(page, 'typical', () =>
      server.use(http.get(page.data, () => HttpResponse.json(refusal(code, 403), { status: 403 }))),
    );
    expect(await screen.findAllByText(says)).not.toHaveLength(0);
    expect(screen.queryByText(page.shown)).toBeNull();
  });
});

test.each(Object.values(PAGES).flatMap((page) => (page.empty === undefined ? [] : [[page.empty, page] as const])))(
  'the page says "%s" when there is nothing',
  async (empty, page) => {
    open(page, 'empty');
    expect(await screen.findByText(empty)).toBeInTheDocument();
    expect(screen.queryByRole('alert')).toBeNull();
  },
);
