import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import type { ReactElement } from 'react';
import { describe, expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { DataImagePage } from './DataImagePage';
import { DataImagesPage } from './DataImagesPage';

const ACCOUNT = `/api/mlpcore/account/${ANN.accountId}`;
const OWN = {
  id: { accountId: ANN.accountId ?? 0, imageId: 4 },
  name: 'weights',
  imageAccountName: 'acme',
  image: 'registry.example.org/weights:1',
  sourcePath: '/models',
  accessMode: 'private',
};
const SHARED = {
  ...OWN,
  id: { accountId: 30, imageId: 9 },
  name: 'lexicon',
  imageAccountName: 'globex',
  image: '',
  sourcePath: '/words',
  accessMode: 'restricted',
};
const paged = (...records: object[]) => ({
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 50 },
  records,
});
const IN_USE = {
  ...refusal('mlp.core.in_use', 409, 'the data image is in use by 2 services'),
  args: { use: 'services', count: '2' },
};

function Known({ page }: { page: ReactElement }) {
  return useSession().state === 'signed-in' ? page : null;
}

function openList() {
  const asked: URLSearchParams[] = [];
  signedIn();
  server.use(
    http.get(`*${ACCOUNT}/data-image`, ({ request }) => {
      const { searchParams } = new URL(request.url);
      asked.push(searchParams);
      return HttpResponse.json(searchParams.get('onlyMy') === 'true' ? paged(OWN) : paged(OWN, SHARED));
    }),
  );
  return { asked, ...show(<Known page={<DataImagesPage />} />) };
}

function openPage(image: typeof OWN, tab = '') {
  const path = `/workspace/data-image/${image.id.accountId}/${image.id.imageId}`;
  signedIn();
  answers(`/api/mlpcore/account/${image.id.accountId}/data-image/${image.id.imageId}`, image);
  return show(<Known page={<DataImagePage />} />, {
    path: path + tab,
    route: '/workspace/data-image/:account/:image/:tab?',
  });
}

describe('the list', () => {
  test("has one's own, and with a filter also those that others share", async () => {
    const { asked } = openList();
    const row = await screen.findByRole('row', { name: /weights/ });
    for (const text of ['registry.example.org/weights:1', '/models', 'Private', 'acme'])
      expect(within(row).getByText(text)).toBeInTheDocument();
    expect(within(row).getByRole('link', { name: 'weights' })).toHaveAttribute(
      'href',
      `/workspace/data-image/${ANN.accountId}/4`,
    );
    expect(screen.queryByText('lexicon')).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole('combobox', { name: 'Whose' }));
    await userEvent.click(await screen.findByRole('option', { name: 'Mine and shared ones', hidden: true }));
    const shared = await screen.findByRole('row', { name: /lexicon/ });
    expect(within(shared).getByText('Only the owner sees it')).toBeInTheDocument();
    expect(within(shared).queryByRole('button', { name: 'Delete lexicon' })).not.toBeInTheDocument();
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search by name' }), 'lex');
    await waitFor(() => expect(asked.at(-1)?.get('name')).toBe('lex'));
  });

  test('a refused field is marked, and what is right is created and opened', async () => {
    const sent: unknown[] = [];
    const { history } = openList();
    const args = { sourcePath: 'must be an absolute path of plain names, without . and ..' };
    const violations = [{ path: 'sourcePath', rule: 'mount_path', args: {}, message: args.sourcePath }];
    server.use(
      http.post(`*${ACCOUNT}/data-image`, async ({ request }) => {
        sent.push(await request.json());
        return sent.length === 1
          ? HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args, violations }, { status: 400 })
          : HttpResponse.json(OWN);
      }),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Create a data image' }));
    const dialog = within(await screen.findByRole('dialog'));
    const save = () => userEvent.click(dialog.getByRole('button', { name: 'Create' }));
    await userEvent.type(dialog.getByRole('textbox', { name: /Name/ }), ' weights ');
    await userEvent.type(dialog.getByRole('textbox', { name: /Address/ }), 'registry.example.org/weights:1');
    await save();
    expect(sent).toEqual([]);
    await userEvent.type(dialog.getByRole('textbox', { name: /Folder/ }), 'models');
    await save();
    await waitFor(() => expect(dialog.getByRole('textbox', { name: /Folder/ })).toBeInvalid());
    expect(dialog.getByText(/Use a path from the root/)).toBeInTheDocument();
    expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
    await userEvent.clear(dialog.getByRole('textbox', { name: /Folder/ }));
    await userEvent.type(dialog.getByRole('textbox', { name: /Folder/ }), '/models');
    await save();
    await waitFor(() => expect(history.location.pathname).toBe(`/workspace/data-image/${ANN.accountId}/4`));
    expect(sent.at(-1)).toEqual({
      name: 'weights',
      image: 'registry.example.org/weights:1',
      sourcePath: '/models',
      accessMode: 'private',
    });
  });

  test('one that services mount is not deleted: it is said why, and which they are', async () => {
    openList();
    server.use(http.delete(`*${ACCOUNT}/data-image/4`, () => HttpResponse.json(IN_USE, { status: 409 })));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete weights' }));
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    expect(await dialog.findByText(/Services that use it: 2/)).toBeInTheDocument();
    expect(dialog.queryByRole('button', { name: 'Delete' })).not.toBeInTheDocument();
    expect(dialog.getByRole('link', { name: 'Show the services' })).toHaveAttribute(
      'href',
      `/workspace/data-image/${ANN.accountId}/4/usage`,
    );
  });
});

describe('the page', () => {
  test("changes one's own", async () => {
    let sent: unknown;
    openPage(OWN);
    server.use(
      http.post(
        `*${ACCOUNT}/data-image/4`,
        async ({ request }) => ((sent = await request.json()), HttpResponse.json(OWN)),
      ),
    );
    const address = await screen.findByRole('textbox', { name: /Address/ });
    for (const field of [address, screen.getByRole('textbox', { name: /Folder/ })])
      expect(field.style.fontFamily).toContain('monospace');
    expect(screen.getByRole('textbox', { name: /Name/ }).style.fontFamily).toBe('');
    expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
    await userEvent.clear(address);
    await userEvent.type(address, 'registry.example.org/weights:2');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent).toEqual({
        name: 'weights',
        image: 'registry.example.org/weights:2',
        sourcePath: '/models',
        accessMode: 'private',
      }),
    );
  });

  test('shows one of another account without its history, and changes nothing', async () => {
    openPage(SHARED, '/events');
    expect(await screen.findByText('globex')).toBeInTheDocument();
    expect(screen.getByText('Only the owner sees it')).toBeInTheDocument();
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Delete' })).not.toBeInTheDocument();
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['About', 'Usage']);
  });

  test('lists the services that mount it, and where', async () => {
    const mount = { dmId: 1, dataImageAccountId: ANN.accountId, dataImageId: 4, targetPath: '/w' };
    let asked: URLSearchParams | null = null;
    openPage(OWN, '/usage');
    server.use(
      http.get(`*${ACCOUNT}/model`, ({ request }) => {
        asked = new URL(request.url).searchParams;
        return HttpResponse.json(
          paged(
            modelOf({
              displayName: 'Greeting',
              dataImageMounts: [mount, { ...mount, dataImageId: 5, targetPath: '/other' }] as never,
            }),
          ),
        );
      }),
    );
    expect(await screen.findByRole('link', { name: 'Greeting' })).toHaveAttribute('href', '/workspace/model/9/3');
    expect(screen.getByText('/w')).toBeInTheDocument();
    expect(screen.queryByText('/other')).not.toBeInTheDocument();
    expect(Object.fromEntries(asked ?? [])).toMatchObject({ onlyMy: 'true', dataImageId: '4' });
  });

  test('says how to mount it while no service does', async () => {
    openPage(OWN, '/usage');
    answers(`${ACCOUNT}/model`, paged());
    expect(await screen.findByText('No service of yours mounts it')).toBeInTheDocument();
  });

  test('tells what happened', async () => {
    openPage(OWN, '/events');
    answers(`${ACCOUNT}/data-image/4/logs`, [
      {
        recordId: 1,
        timestamp: 1_763_726_400_000,
        level: 'INFO',
        code: 'DATA_IMAGE_CREATED',
        args: { name: 'weights' },
        message: 'made',
      },
    ]);
    expect(await screen.findByText('The data image weights was created')).toBeInTheDocument();
  });

  test('a deleted one leads back to the list', async () => {
    const { history } = openPage(OWN);
    server.use(http.delete(`*${ACCOUNT}/data-image/4`, () => new HttpResponse(null)));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(history.location.pathname).toBe('/workspace/data-images'));
  });
});
