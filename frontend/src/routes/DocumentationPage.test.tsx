import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import DocumentationPage from './DocumentationPage';

test('a page shows its text with links to other pages and to its own parts', async () => {
  show(<DocumentationPage />, { path: '/docs/archive', route: '/docs/:page' });
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Archive of requests');
  expect(await screen.findByRole('link', { name: 'storage' })).toHaveAttribute('href', '/docs/limits#storage');
});

test('a page in Russian has the anchors of the English one, which all links have', async () => {
  show(<DocumentationPage />, { path: '/docs/archive', route: '/docs/:page', language: 'ru' });
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Архив запросов');
  expect(await screen.findByRole('link', { name: /хранилищ/ })).toHaveAttribute('href', '/docs/limits#storage');
  cleanup();
  show(<DocumentationPage />, { path: '/docs/limits', route: '/docs/:page', language: 'ru' });
  expect((await screen.findByRole('heading', { level: 2, name: 'Хранилище' })).closest('#storage')).not.toBeNull();
});

test('a comment for those who write a page is not shown', async () => {
  show(<DocumentationPage />, { path: '/docs/settlement', route: '/docs/:page' });
  expect(await screen.findAllByRole('table')).not.toEqual([]);
  expect(screen.queryByText(/make settlement/)).toBeNull();
});

test('a search in the titles lists pages with the sections that it finds', async () => {
  show(<DocumentationPage />, { path: '/docs/calls', route: '/docs/:page', language: 'ru' });
  await userEvent.type(screen.getByRole('searchbox', { name: 'Поиск по заголовкам' }), 'хранилище');
  const pages = within(screen.getByRole('navigation', { name: 'Страницы документации' }));
  expect(pages.getAllByRole('link', { name: 'Хранилище' }).map((link) => link.getAttribute('href'))).toEqual([
    '/docs/limits#storage',
    '/docs/buckets#storage',
    '/docs/datasets#storage',
  ]);
  expect(pages.queryByRole('link', { name: 'Адаптеры' })).toBeNull();
  await userEvent.type(screen.getByRole('searchbox'), ' nothing');
  expect(screen.getByText('Таких заголовков нет')).toBeVisible();
});

test('a page that does not exist leads to the page that says so', async () => {
  show(<DocumentationPage />, { path: '/docs/operating', route: '/docs/:page' });
  expect(await screen.findByTestId('elsewhere')).toBeVisible();
});
