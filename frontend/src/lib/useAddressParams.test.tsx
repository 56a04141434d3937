import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { useAddressParams } from './useAddressParams';

const set = (name: string, value: string) => (now: URLSearchParams) => {
  const changed = new URLSearchParams(now);
  changed.set(name, value);
  return changed;
};

/** A component of a page, with a hook of its own. */
function Setter({ name, value }: { name: string; value: string }) {
  const [params, change] = useAddressParams();
  return <button type="button" onClick={() => change(set(name, value))}>{`${name}: ${params.toString()}`}</button>;
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${name}:`) }));

test('two changes before a rendering are both kept', async () => {
  show(
    <>
      <Setter name="account" value="7" />
      <Setter name="search" value="demo" />
    </>,
    { path: '/list' },
  );
  act(() => {
    press('account');
    press('search');
  });
  expect(await screen.findByRole('button', { name: 'search: account=7&search=demo' })).toBeVisible();
});

test('a change after going back begins with the older address', async () => {
  const { history } = show(
    <>
      <Setter name="account" value="7" />
      <Setter name="search" value="demo" />
    </>,
    { path: '/list' },
  );
  press('account');
  await screen.findByRole('button', { name: 'search: account=7' });
  act(() => history.back());
  press('search');
  expect(await screen.findByRole('button', { name: 'search: search=demo' })).toBeVisible();
});

test('a page that is left while the next one loads changes the address no more', async () => {
  const { history } = show(<Setter name="search" value="demo" />, { path: '/list' });
  act(() => {
    history.push('/elsewhere');
    press('search');
  });
  expect(await screen.findByTestId('elsewhere')).toBeInTheDocument();
  expect([history.location.pathname, history.location.search]).toEqual(['/elsewhere', '']);
});
