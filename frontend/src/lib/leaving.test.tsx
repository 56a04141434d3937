import { createBrowserHistory } from '@tanstack/history';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Route, Routes } from 'react-router';

import { AddressRouter } from '@/app/AddressRouter';
import { Link } from '@/components/Link';

import { useLeaving } from './leaving';

function Form({ dirty }: { dirty: boolean }) {
  const leaving = useLeaving(dirty);
  return (
    <>
      <Link to="/other">other</Link>
      <Link to="?row=1">row</Link>
      {leaving && (
        <>
          <button onClick={leaving.stay}>stay</button>
          <button onClick={leaving.go}>go</button>
        </>
      )}
    </>
  );
}

let history: ReturnType<typeof createBrowserHistory>;

/** The form, opened from a page to which the back button leads. */
async function open(dirty = true) {
  window.history.pushState(null, '', '/before');
  history = createBrowserHistory();
  render(
    <AddressRouter history={history}>
      <Routes>
        <Route path="/form" element={<Form dirty={dirty} />} />
        <Route path="*" element={<p>elsewhere</p>} />
      </Routes>
    </AddressRouter>,
  );
  act(() => history.push('/form'));
  await screen.findByRole('link', { name: 'other' });
}

const address = () => window.location.pathname + window.location.search;
const back = () => act(() => window.history.back());
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

let start = '';
beforeEach(() => {
  start = address();
});
afterEach(() => {
  history.destroy();
  window.history.replaceState(null, '', start);
});

test('a link leaves a form only after an answer', async () => {
  await open();
  await userEvent.click(screen.getByRole('link', { name: 'other' }));
  await press('stay');
  expect(address()).toBe('/form');
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('link', { name: 'other' }));
  await press('go');
  await screen.findByText('elsewhere');
  expect(address()).toBe('/other');
});

test('so does the back button, and the address stays that of the form meanwhile', async () => {
  await open();
  back();
  await screen.findByRole('button', { name: 'stay' });
  await waitFor(() => expect(address()).toBe('/form'));
  await press('stay');
  back();
  await press('go');
  await screen.findByText('elsewhere');
  expect(address()).toBe('/before');
});

test('another search is the same page', async () => {
  await open();
  await userEvent.click(screen.getByRole('link', { name: 'row' }));
  await waitFor(() => expect(address()).toBe('/form?row=1'));
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

test('nobody is asked without changes', async () => {
  await open(false);
  back();
  await screen.findByText('elsewhere');
  expect(address()).toBe('/before');
});
