import { createEvent, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { Link } from './Link';

test('a click opens the page of the address, relative to this one, without loading the application again', async () => {
  const { history } = show(<Link to={{ search: '?tab=b' }}>Second</Link>, { path: '/pages' });
  const link = await screen.findByRole('link', { name: 'Second' });
  expect(link).toHaveAttribute('href', '/pages?tab=b');
  const click = createEvent.click(link, { button: 0 });
  fireEvent(link, click);
  expect(click.defaultPrevented).toBe(true);
  expect(history.location.href).toBe('/pages?tab=b');
});

test('the address of the page itself is no new step of the history', async () => {
  const { history } = show(<Link to="/pages">Again</Link>, { path: '/pages' });
  const before = history.length;
  fireEvent.click(await screen.findByRole('link', { name: 'Again' }));
  expect(history.length).toBe(before);
});

test.each([{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }, { button: 1 }])(
  'the browser decides about a click with %j',
  async (how) => {
    const { history } = show(<Link to="/elsewhere">There</Link>, { path: '/pages' });
    const link = await screen.findByRole('link', { name: 'There' });
    const click = createEvent.click(link, how);
    // jsdom would try to follow it.
    window.addEventListener('click', (event) => event.preventDefault(), { once: true });
    fireEvent(link, click);
    expect(history.location.pathname).toBe('/pages');
  },
);

test('a link for another window is followed there, and one whose click is prevented is not followed', async () => {
  const { history } = show(
    <>
      <Link to="/elsewhere" target="_blank">
        Window
      </Link>
      <Link to="/elsewhere" onClick={(event) => event.preventDefault()}>
        Never
      </Link>
    </>,
    { path: '/pages' },
  );
  window.addEventListener('click', (event) => event.preventDefault(), { once: true });
  fireEvent.click(await screen.findByRole('link', { name: 'Window' }));
  fireEvent.click(screen.getByRole('link', { name: 'Never' }));
  expect(history.location.pathname).toBe('/pages');
});
