import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import DocumentationPage from './DocumentationPage';

test('a page shows its text with links to other pages and to its own parts', async () => {
  show(<DocumentationPage />, { path: '/docs/archive', route: '/docs/:page' });
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Archive of requests');
  expect(await screen.findByRole('link', { name: 'storage' })).toHaveAttribute('href', '/docs/limits#storage');
});

test('a search in the titles lists pages with the sections that it finds', async () => {
  show(<DocumentationPage />, { path: '/docs/calls', route: '/docs/:page', language: 'ru' });
  await userEvent.type(screen.getByRole('searchbox', { name: 'Поиск по заголовкам' }), 'storage');
  const pages = within(screen.getByRole('navigation', { name: 'Страницы документации' }));
  expect(pages.getAllByRole('link', { name: 'Storage' }).map((link) => link.getAttribute('href'))).toEqual(['/docs/limits#storage', '/docs/buckets#storage']);
  expect(pages.queryByRole('link', { name: 'Adapters' })).toBeNull();
  await userEvent.type(screen.getByRole('searchbox'), ' nothing');
  expect(screen.getByText('Таких заголовков нет')).toBeVisible();
});

test('a page that does not exist leads to the page that says so', async () => {
  show(<DocumentationPage />, { path: '/docs/operating', route: '/docs/:page' });
  expect(await screen.findByTestId('elsewhere')).toBeVisible();
});
