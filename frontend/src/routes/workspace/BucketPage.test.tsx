import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import { folder, object, openBucket, PAGE, PATH, TOP } from '@/testing/bucket';
import { answers, refusal, server } from '@/testing/server';

const READER = { permissions: ['MLP_USER'], accountOwner: false };

/** Takes deletions; answers with what is given, then with twelve deleted files. */
function deleting(...responses: Response[]) {
  const sent: unknown[] = [];
  server.use(
    http.post(
      `*${PATH}/delete`,
      async ({ request }) => (sent.push(await request.json()), responses.shift() ?? HttpResponse.json({ deleted: 12 })),
    ),
  );
  return sent;
}

describe('the list', () => {
  test('has folders before files, with sizes, times and downloads', async () => {
    openBucket({ '': TOP });
    const table = await screen.findByRole('table', { name: 'Folders and files' });
    const rows = await within(table).findAllByRole('row', { name: /raw|readme/ });
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/^raw\/$/),
      expect.stringMatching(/^readme.txt2.KiB/),
    ]);
    for (const link of [
      screen.getByRole('link', { name: 'readme.txt' }),
      screen.getByRole('link', { name: 'Download readme.txt' }),
    ]) {
      expect(link).toHaveAttribute('href', `${PATH}/content?key=readme.txt`);
      expect(link).toHaveAttribute('download');
    }
  });

  test('opens folders, and its path leads back', async () => {
    const { history } = openBucket({
      '': TOP,
      'raw/': { folders: [folder('raw/2026/')], objects: [] },
      'raw/2026/': { folders: [], objects: [object('raw/2026/a.csv')] },
    });
    await userEvent.click(await screen.findByRole('link', { name: 'raw/' }));
    await userEvent.click(await screen.findByRole('link', { name: '2026/' }));
    expect(await screen.findByRole('link', { name: 'a.csv' })).toBeInTheDocument();
    expect(new URLSearchParams(history.location.search).get('prefix')).toBe('raw/2026/');
    const way = within(screen.getByRole('navigation', { name: 'Path to the folder' }));
    expect(way.getByText('2026')).toHaveAttribute('aria-current', 'page');
    await userEvent.click(way.getByRole('link', { name: 'raw' }));
    expect(await screen.findByRole('link', { name: '2026/' })).toBeInTheDocument();
    await userEvent.click(way.getByRole('link', { name: 'acme-1' }));
    expect(await screen.findByRole('link', { name: 'readme.txt' })).toBeInTheDocument();
    expect(history.location.search).toBe('');
  });

  test('begins at the prefix of the address, and the search changes it within the folder', async () => {
    const { history, asked } = openBucket(
      { 'raw/ja': { folders: [], objects: [object('raw/jan.csv')] } },
      { path: `${PAGE}?prefix=raw%2Fja` },
    );
    expect(await screen.findByRole('link', { name: 'jan.csv' })).toBeInTheDocument();
    const search = screen.getByRole('searchbox', { name: 'Name begins with' });
    expect(search).toHaveValue('ja');
    fireEvent.change(search, { target: { value: 'no' } });
    expect(await screen.findByText('Nothing matches: “no”.')).toBeInTheDocument();
    expect(asked.at(-1)?.get('prefix')).toBe('raw/no');
    await userEvent.click(screen.getByRole('button', { name: 'Clear the filters' }));
    expect(new URLSearchParams(history.location.search).get('prefix')).toBe('raw/');
    expect(await screen.findByText('This folder is empty')).toBeInTheDocument();
  });

  test('appends what follows', async () => {
    const { asked } = openBucket({
      '': { ...TOP, next: 'c1' },
      ' after c1': { folders: [folder('zoo/')], objects: [object('z.txt')] },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Load more' }));
    expect(await screen.findByRole('link', { name: 'z.txt' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'readme.txt' })).toBeInTheDocument();
    expect(asked.at(-1)?.get('after')).toBe('c1');
    expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
  });

  test('an empty bucket says how to fill it', async () => {
    openBucket({});
    expect(await screen.findByText('The bucket is empty')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Choose files' })).toBeInTheDocument();
  });

  test('says why it was refused, and reads again', async () => {
    openBucket({ '': TOP });
    answers(`${PATH}/object`, refusal('mlp.core.unavailable', 503), 503);
    expect(await screen.findByRole('alert')).toBeInTheDocument();
    expect(screen.queryByText('The bucket is empty')).not.toBeInTheDocument();
    answers(`${PATH}/object`, { bucketName: 'acme-1', prefix: '', next: null, ...TOP });
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'readme.txt' })).toBeInTheDocument();
  });

  test('shows how much of the storage is used, and by what', async () => {
    openBucket({ '': TOP });
    expect(await screen.findByRole('meter', { name: 'Storage of the account' })).toHaveValue(600);
    for (const text of ['600 B of 1,000 B are used', 'Bucket: 400 B in 3 files', 'Datasets: 200 B', 'Free: 400 B'])
      expect(
        screen.getByText(
          (_, element) =>
            element?.textContent?.replaceAll(/[\u00a0\u2009\u202f]/g, ' ').replace('1 000', '1,000') === text &&
            element.children.length < 2,
        ),
      ).toBeInTheDocument();
  });
});

describe('deleting', () => {
  test('one file, after a question', async () => {
    const sent = deleting();
    const { places } = openBucket({ '': { ...TOP } });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete readme.txt' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete readme.txt?' }));
    places[''] = { folders: [folder('raw/')], objects: [] };
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(screen.queryByRole('link', { name: 'readme.txt' })).not.toBeInTheDocument());
    expect(sent).toEqual([{ keys: ['readme.txt'], prefixes: [] }]);
  });

  test('many files and folders: the question says how many, and which folders', async () => {
    const sent = deleting();
    openBucket({ '': { folders: [folder('raw/')], objects: [object('a.txt'), object('b.txt'), object('c.txt')] } });
    for (const name of ['raw', 'a.txt', 'b.txt'])
      await userEvent.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
    await userEvent.click(
      within(screen.getByRole('toolbar', { name: '3 selected' })).getByRole('button', { name: 'Delete' }),
    );
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete 2 files and 1 folder?' }));
    expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['raw/']);
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(sent).toEqual([{ keys: ['a.txt', 'b.txt'], prefixes: ['raw/'] }]));
    expect(await screen.findByText('12 files are deleted')).toBeInTheDocument();
  });

  test('a refusal is shown in the question, and what was chosen stays chosen', async () => {
    deleting(HttpResponse.json(refusal('mlp.core.unavailable', 503), { status: 503 }));
    openBucket({ '': TOP });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select readme.txt' }));
    await userEvent.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Delete' }));
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    expect(await dialog.findByRole('alert')).toBeInTheDocument();
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByRole('checkbox', { name: 'Select readme.txt' })).toBeChecked();
  });
});

test('a member without the role sees and downloads files, and is told who may do more', async () => {
  openBucket({ '': TOP }, { user: READER });
  expect(await screen.findByRole('link', { name: 'Download readme.txt' })).toBeInTheDocument();
  expect(screen.getByText(/Members with the role “Developer” and the owner/)).toBeInTheDocument();
  for (const name of ['Upload files', 'How to connect', 'New folder', 'Delete readme.txt'])
    expect(screen.queryByRole('button', { name })).not.toBeInTheDocument();
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  expect(screen.queryByTestId('drop-zone')).not.toBeInTheDocument();
});
