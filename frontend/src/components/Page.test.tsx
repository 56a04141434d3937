import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { Page } from './Page';

const CRUMBS = [
  { text: 'Services', to: '/workspace/services' },
  { text: 'alice' },
  { text: 'NER', to: '/workspace/model/1/2' },
];

test("the title of the browser's tab names the open tab, the object and the brand", async () => {
  show(
    <Page title="NER" name="alice/ner" tab="Logs" crumbs={CRUMBS}>
      x
    </Page>,
  );
  await waitFor(() => expect(document.title).toBe('Logs · alice/ner · MLPlace'));
});

test('the way to the page links what has a page, and ends with the current one', () => {
  show(
    <Page title="NER" tab="Logs" crumbs={CRUMBS}>
      x
    </Page>,
  );
  const way = screen.getByRole('navigation', { name: 'Path to the page' });
  expect(
    within(way)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual(['/workspace/services', '/workspace/model/1/2']);
  expect(within(way).getAllByRole('listitem').at(-1)).toHaveAttribute('aria-current', 'page');
  expect(
    within(way)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['Services', 'alice', 'NER', 'Logs']);
});
