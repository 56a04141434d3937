import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import { showToMember } from '@/testing/documented';
import { modelOf } from '@/testing/models';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { ImagePage } from './ImagePage';
import { ImagesPage } from './ImagesPage';

const ACCOUNT = `/api/mlpcore/account/${ANN.accountId}`;
const OWN = {
  id: { accountId: ANN.accountId ?? 0, imageId: 4 },
  name: 'counter',
  imageAccountName: 'acme',
  image: 'registry.example.org/counter:1',
  accessMode: 'private',
};
const SHARED = {
  ...OWN,
  id: { accountId: 30, imageId: 9 },
  name: 'speech',
  imageAccountName: 'globex',
  image: '',
  accessMode: 'restricted',
};
const PAGE = `/workspace/image/${ANN.accountId}/4`;
const paged = (...records: object[]) => ({
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 50 },
  records,
});
const event = (recordId: number, code: string, args: Record<string, string>, message = '') => ({
  recordId,
  timestamp: 1_763_726_400_000,
  level: 'INFO',
  code,
  args,
  message,
});

function openList() {
  signedIn();
  answers(`${ACCOUNT}/image-v2`, paged(OWN, SHARED));
  return showToMember(<ImagesPage />);
}

function openPage(image: typeof OWN, tab = '', user: Parameters<typeof signedIn>[0] = {}) {
  signedIn(user);
  answers(`/api/mlpcore/account/${image.id.accountId}/image/${image.id.imageId}`, image);
  return showToMember(<ImagePage />, {
    path: `/workspace/image/${image.id.accountId}/${image.id.imageId}${tab}`,
    route: '/workspace/image/:account/:image/:tab?',
  });
}

/** Takes restarts; answers with what is given. */
function restarting(answer: () => Response = () => new HttpResponse(null)) {
  const asked: string[] = [];
  server.use(
    http.post(`*${ACCOUNT}/image/:image/models-restart`, ({ request }) => {
      asked.push(new URL(request.url).pathname);
      return answer();
    }),
  );
  return asked;
}

describe('the list', () => {
  test('leads to the page of each image, and hides what a restricted one hides', async () => {
    openList();
    expect(await screen.findByRole('link', { name: 'counter' })).toHaveAttribute('href', PAGE);
    expect(screen.getByRole('link', { name: 'speech' })).toHaveAttribute('href', '/workspace/image/30/9');
    const shared = within(screen.getByRole('row', { name: /speech/ }));
    expect(shared.getByText('Only the owner sees it')).toBeInTheDocument();
    expect(shared.queryByRole('button', { name: 'Delete speech' })).not.toBeInTheDocument();
  });

  test('a refused address is marked, and what is right is created and opened', async () => {
    const sent: unknown[] = [];
    const { history } = openList();
    const args = { image: 'use an address such as registry.example/team/image:tag' };
    const violations = [{ path: 'image', rule: 'image_address', args: {}, message: args.image }];
    server.use(
      http.post(`*${ACCOUNT}/image`, async ({ request }) => {
        sent.push(await request.json());
        return sent.length === 1
          ? HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args, violations }, { status: 400 })
          : HttpResponse.json(OWN);
      }),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Create an image' }));
    const dialog = within(await screen.findByRole('dialog'));
    const save = () => userEvent.click(dialog.getByRole('button', { name: 'Create' }));
    await userEvent.type(dialog.getByRole('textbox', { name: /Name/ }), ' counter ');
    await userEvent.type(dialog.getByRole('textbox', { name: /Address/ }), 'no address');
    await save();
    await waitFor(() => expect(dialog.getByRole('textbox', { name: /Address/ })).toBeInvalid());
    await userEvent.clear(dialog.getByRole('textbox', { name: /Address/ }));
    await userEvent.type(dialog.getByRole('textbox', { name: /Address/ }), 'registry.example.org/counter:1');
    await save();
    await waitFor(() => expect(history.location.pathname).toBe(PAGE));
    const { name, image, accessMode } = OWN;
    expect(sent.at(-1)).toEqual({ name, image, accessMode });
  });

  test('one that services run is not deleted: it is said why, and which they are', async () => {
    openList();
    const inUse = { ...refusal('mlp.core.in_use', 409), args: { use: 'services', count: '2' } };
    server.use(http.delete(`*${ACCOUNT}/image/4`, () => HttpResponse.json(inUse, { status: 409 })));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete counter' }));
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    expect(await dialog.findByText(/Services that use it: 2/)).toBeInTheDocument();
    expect(dialog.getByRole('link', { name: 'Show the services' })).toHaveAttribute('href', `${PAGE}/usage`);
  });
});

describe('about', () => {
  test("changes one's own", async () => {
    let sent: unknown;
    openPage(OWN);
    server.use(
      http.post(`*${ACCOUNT}/image/4`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(OWN))),
    );
    const address = await screen.findByRole('textbox', { name: /Address/ });
    expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
    await userEvent.clear(address);
    await userEvent.type(address, 'registry.example.org/counter:2');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent).toEqual({ name: 'counter', image: 'registry.example.org/counter:2', accessMode: 'private' }),
    );
  });

  test('shows one of another account without its history, and changes nothing', async () => {
    openPage(SHARED, '/events');
    expect(await screen.findByText('globex')).toBeInTheDocument();
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Delete' })).not.toBeInTheDocument();
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['About', 'Usage']);
  });

  test('a deleted one leads back to the list', async () => {
    const { history } = openPage(OWN);
    server.use(http.delete(`*${ACCOUNT}/image/4`, () => new HttpResponse(null)));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(history.location.pathname).toBe('/workspace/images'));
  });

  test('a missing one is the page of what is missing', async () => {
    signedIn();
    answers(`${ACCOUNT}/image/5`, refusal('mlp.core.not_found', 404), 404);
    showToMember(<ImagePage />, {
      path: `/workspace/image/${ANN.accountId}/5`,
      route: '/workspace/image/:account/:image/:tab?',
    });
    expect(await screen.findByRole('heading', { level: 1, name: 'There is no 5 here' })).toBeInTheDocument();
  });
});

describe('usage', () => {
  test('lists the services that run it, and restarts them after it has said what that does', async () => {
    let listed: URLSearchParams | null = null;
    const asked = restarting();
    openPage(OWN, '/usage');
    server.use(
      http.get(`*${ACCOUNT}/model`, ({ request }) => {
        listed = new URL(request.url).searchParams;
        return HttpResponse.json(paged(modelOf({ displayName: 'Greeting' })));
      }),
    );
    expect(await screen.findByRole('link', { name: 'Greeting' })).toHaveAttribute('href', '/workspace/model/9/3');
    expect(Object.fromEntries(listed ?? [])).toMatchObject({ onlyMy: 'true', imageId: '4' });
    await userEvent.click(screen.getByRole('button', { name: 'Restart these services' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Restart 1 service?' }));
    expect(dialog.getByText(/new one starts beside the old one/)).toBeInTheDocument();
    expect(dialog.getByText(/no room for both/)).toBeInTheDocument();
    expect(asked).toEqual([]);
    await userEvent.click(dialog.getByRole('button', { name: 'Restart' }));
    expect(await screen.findByText(/The services are being restarted/)).toBeInTheDocument();
    expect(asked).toEqual([`${ACCOUNT}/image/4/models-restart`]);
  });

  test('a refused restart says why', async () => {
    restarting(() => HttpResponse.json(refusal('mlp.core.too_many_changes', 429), { status: 429 }));
    openPage(OWN, '/usage');
    answers(`${ACCOUNT}/model`, paged(modelOf()));
    await screen.findByRole('link', { name: 'Counter' });
    await userEvent.click(screen.getByRole('button', { name: 'Restart these services' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Restart' }));
    expect(await screen.findByText('The services were not restarted')).toBeInTheDocument();
    expect(screen.queryByText(/The services are being restarted/)).not.toBeInTheDocument();
  });

  test('nothing is restarted while no service runs it', async () => {
    openPage(OWN, '/usage');
    answers(`${ACCOUNT}/model`, paged());
    expect(await screen.findByText('No service of yours runs it')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Restart these services' })).toBeDisabled();
  });

  test.each([
    ['who is no developer', OWN, { permissions: ['MLP_USER'], accountOwner: false }],
    ['of another account', SHARED, {}],
  ])('a reader %s restarts nothing', async (_who, image, user) => {
    openPage(image, '/usage', user);
    answers(`${ACCOUNT}/model`, paged(modelOf()));
    expect(await screen.findByRole('link', { name: 'Counter' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Restart these services' })).not.toBeInTheDocument();
  });
});

describe('the event history', () => {
  test('tells what happened, in pages', async () => {
    const others = Array.from({ length: 50 }, (_, at) => event(at + 2, 'OF_A_LATER_RELEASE', {}, `change ${at}`));
    openPage(OWN, '/events');
    answers(`${ACCOUNT}/image/4/logs`, [
      event(1, 'MODELS_RESTARTED', { name: 'counter', services: '2' }),
      ...others,
      event(99, 'IMAGE_CREATED', { name: 'counter' }),
    ]);
    expect(await screen.findByText('Services with the image counter get new instances: 2')).toBeInTheDocument();
    expect(screen.queryByText('The image counter was created')).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Next' }));
    expect(await screen.findByText('The image counter was created')).toBeInTheDocument();
    expect(screen.queryByText('change 0')).not.toBeInTheDocument();
  });

  test('says what would be there', async () => {
    openPage(OWN, '/events');
    answers(`${ACCOUNT}/image/4/logs`, []);
    expect(await screen.findByText('Nothing happened yet')).toBeInTheDocument();
  });
});

test.each([
  ['/usage', `${ACCOUNT}/model`, paged(modelOf()), 'Counter'],
  ['/events', `${ACCOUNT}/image/4/logs`, [event(1, 'IMAGE_CREATED', { name: 'counter' })], /counter was created/],
])('the tab %s says why it cannot be read, and reads it again', async (tab, path, answer, shown) => {
  openPage(OWN, tab);
  answers(path, refusal('mlp.core.unavailable', 503), 503);
  expect(await screen.findByRole('alert')).toBeInTheDocument();
  answers(path, answer);
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(shown)).toBeInTheDocument();
});
