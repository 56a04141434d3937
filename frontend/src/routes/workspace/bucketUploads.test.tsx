import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import { chooseFiles, file, keysOf, object, openBucket, PAGE, PATH, storing, TOP } from '@/testing/bucket';
import { answers, refusal } from '@/testing/server';

test('sends each file itself to the open folder, and reads the list again', async () => {
  const puts = storing();
  const { places, asked } = openBucket(
    { 'raw/': { folders: [], objects: [object('raw/old.csv')] } },
    { path: `${PAGE}?prefix=raw%2F` },
  );
  await screen.findByRole('link', { name: 'old.csv' });
  await chooseFiles(file('new.csv'));
  await waitFor(() => expect(puts).toHaveLength(1));
  expect(puts[0]).toMatchObject({ key: 'raw/new.csv', type: 'text/csv' });
  expect(screen.getByRole('progressbar', { name: 'Upload of raw/new.csv' })).toBeInTheDocument();
  expect(within(screen.getByRole('region', { name: 'Uploads' })).getByText('new.csv')).toBeInTheDocument();
  const before = asked.length;
  places['raw/'] = { folders: [], objects: [object('raw/new.csv'), object('raw/old.csv')] };
  puts[0]?.end();
  expect(await screen.findByText('1 file is uploaded')).toBeInTheDocument();
  expect(await screen.findByRole('link', { name: 'new.csv' })).toBeInTheDocument();
  expect(asked.length).toBeGreaterThan(before);
});

test('sends three at a time; a waiting one can be cancelled', async () => {
  const puts = storing();
  openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  await chooseFiles(...['a', 'b', 'c', 'd', 'e'].map(file));
  await waitFor(() => expect(puts).toHaveLength(3));
  expect(screen.getByText('Uploaded: 0 of 5 files')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel d' }));
  puts[0]?.end();
  await waitFor(() => expect(keysOf(puts)).toEqual(['a', 'b', 'c', 'e']));
  expect(screen.getByText('Uploaded: 1 of 4 files')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel all' }));
  expect(screen.queryByRole('region', { name: 'Uploads' })).not.toBeInTheDocument();
});

test('a refused file says why, and can be sent again', async () => {
  const puts = storing();
  openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  await chooseFiles(file('a.csv'));
  await waitFor(() => expect(puts).toHaveLength(1));
  puts[0]?.end(
    HttpResponse.json(
      {
        ...refusal('mlp.core.storage_limit_exceeded', 413),
        args: { name: 'storageLimit', limit: '1000', used: '600', size: '500' },
      },
      { status: 413 },
    ),
  );
  expect(within(await screen.findByRole('alert')).getByText(/Needed in addition: 500/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Try a.csv again' }));
  await waitFor(() => expect(puts).toHaveLength(2));
  puts[1]?.end();
  expect(await screen.findByText('1 file is uploaded')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Close the list of uploads' }));
  expect(screen.queryByText('1 file is uploaded')).not.toBeInTheDocument();
});

test('asks before it replaces a listed file', async () => {
  const puts = storing();
  openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  await chooseFiles(file('new.csv'), file('readme.txt'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Replace files?' }));
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['readme.txt']);
  expect(puts).toEqual([]);
  await userEvent.click(dialog.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(keysOf(puts)).toEqual(['new.csv', 'readme.txt']));
});

test('takes what is dropped on the list', async () => {
  const puts = storing();
  openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  const zone = screen.getByTestId('drop-zone');
  const dataTransfer = { files: [file('a.csv'), file('b.csv')], types: ['Files'] };
  fireEvent.dragOver(zone, { dataTransfer });
  expect(zone).toHaveAttribute('data-over');
  expect(screen.getByText('Drop to upload into this folder')).toBeInTheDocument();
  fireEvent.drop(zone, { dataTransfer });
  await waitFor(() => expect(keysOf(puts)).toEqual(['a.csv', 'b.csv']));
  expect(zone).not.toHaveAttribute('data-over');
});

test('leaving the page while a file is sent is asked, opening a folder is not', async () => {
  const puts = storing();
  const { history } = openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  await chooseFiles(file('a.csv'));
  await waitFor(() => expect(puts).toHaveLength(1));
  await userEvent.click(screen.getByRole('link', { name: 'raw/' }));
  await waitFor(() => expect(history.location.search).toBe('?prefix=raw%2F'));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  act(() => history.push('/workspace'));
  await userEvent.click(
    within(await screen.findByRole('dialog', { name: 'Cancel the uploads?' })).getByRole('button', {
      name: 'Leave the page',
    }),
  );
  await waitFor(() => expect(history.location.pathname).toBe('/workspace'));
});

test('a new folder is opened, and the next file makes it exist', async () => {
  const puts = storing();
  const { history } = openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  await userEvent.click(screen.getByRole('button', { name: 'New folder' }));
  await userEvent.type(
    within(await screen.findByRole('dialog')).getByRole('textbox', { name: 'Name' }),
    ' /x// y /{Enter}',
  );
  await waitFor(() => expect(new URLSearchParams(history.location.search).get('prefix')).toBe('x/y/'));
  expect(await screen.findByText('This folder is empty')).toBeInTheDocument();
  await chooseFiles(file('a.csv'));
  await waitFor(() => expect(puts.map(({ key }) => key)).toEqual(['x/y/a.csv']));
});

const KNOWN = /of 1.000.B are used/;
const refused = () => screen.findByRole('alert', { name: 'Not uploaded' });

describe('a file that is too large', () => {
  test.each([
    [801, /big.csv is too large: it has 801.B, and a file may have 800.B\./, 'Programs that speak S3'],
    [500, /big.csv is too large: it has 500.B, and the storage of the account has room for 400.B\./, 'Delete files'],
  ])('is refused when it is chosen (%i bytes), and the others are sent', async (bytes, said, way) => {
    const puts = storing();
    openBucket({ '': TOP });
    await screen.findByRole('link', { name: 'readme.txt' });
    await screen.findByText(KNOWN);
    await chooseFiles(file('big.csv', bytes), file('fine.csv'));
    const notice = within(await refused());
    expect(notice.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(said),
    ]);
    expect(notice.getByText(new RegExp(`^${way}`))).toBeInTheDocument();
    await waitFor(() => expect(keysOf(puts)).toEqual(['fine.csv']));
    expect(screen.getByText('Uploaded: 0 of 1 file')).toBeInTheDocument();
    await userEvent.click(notice.getByRole('button', { name: 'Close what was not uploaded' }));
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  test('is refused when it is dropped', async () => {
    const puts = storing();
    openBucket({ '': TOP });
    await screen.findByRole('link', { name: 'readme.txt' });
    await screen.findByText(KNOWN);
    const dataTransfer = { files: [file('big.csv', 801)], types: ['Files'] };
    fireEvent.drop(screen.getByTestId('drop-zone'), { dataTransfer });
    expect(within(await refused()).getByText(/big.csv is too large/)).toBeInTheDocument();
    expect(puts).toEqual([]);
  });

  test('has the room of the file that it replaces', async () => {
    const puts = storing();
    openBucket({ '': { folders: [], objects: [object('readme.txt', 300)] } });
    await screen.findByRole('link', { name: 'readme.txt' });
    await screen.findByText(KNOWN);
    await chooseFiles(file('readme.txt', 700));
    const dialog = within(await screen.findByRole('dialog', { name: 'Replace files?' }));
    await userEvent.click(dialog.getByRole('button', { name: 'Replace' }));
    await waitFor(() => expect(keysOf(puts)).toEqual(['readme.txt']));
    await chooseFiles(file('readme.txt', 701));
    expect(within(await refused()).getByText(/has 701.B, and .* room for 700.B/)).toBeInTheDocument();
  });

  test('is sent if it may replace one that is not listed', async () => {
    const puts = storing();
    openBucket({ '': { ...TOP, next: 'c1' } });
    await screen.findByRole('link', { name: 'readme.txt' });
    await screen.findByText(KNOWN);
    await chooseFiles(file('a.csv', 500));
    await waitFor(() => expect(keysOf(puts)).toEqual(['a.csv']));
  });

  test('is sent while the limits are not known, and the server decides', async () => {
    const puts = storing();
    openBucket({ '': TOP });
    answers(`${PATH}/storage`, refusal('mlp.core.unavailable', 503), 503);
    await screen.findByRole('link', { name: 'readme.txt' });
    await screen.findByText('The use of storage could not be read.');
    await chooseFiles(file('a.csv', 900));
    await waitFor(() => expect(puts).toHaveLength(1));
    const tooLarge = { ...refusal('mlp.core.object_too_large', 413), args: { limit: '800' } };
    puts[0]?.end(HttpResponse.json(tooLarge, { status: 413 }));
    const said = /a.csv is too large: it has 900.B, and a file may have 800.B\./;
    expect(within(await screen.findByRole('alert')).getByText(said)).toBeInTheDocument();
  });
});

test('a file that the server refuses for another reason is named beside the reason', async () => {
  const puts = storing();
  openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  await chooseFiles(file('a.csv'));
  await waitFor(() => expect(puts).toHaveLength(1));
  puts[0]?.end(HttpResponse.json(refusal('mlp.core.object_condition_failed', 412), { status: 412 }));
  const alert = within(await screen.findByRole('alert'));
  expect(alert.getByText('a.csv was not uploaded.')).toBeInTheDocument();
  expect(alert.getByText('Another file has this name')).toBeInTheDocument();
});
