import { act, screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useState } from 'react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { refusal, server } from '@/testing/server';

import { useSession } from './session';

const seen: string[] = [];

function Another() {
  seen.push(useSession().state);
  return null;
}

function Page() {
  const [more, setMore] = useState(false);
  const { state } = useSession();
  seen.push(state);
  return (
    <>
      <button onClick={() => setMore(true)}>{state}</button>
      {more && <Another />}
    </>
  );
}

test('a visitor stays a visitor while a component that has just appeared asks again after an error', async () => {
  server.use(
    http.get('*/c/authorization/session', () =>
      HttpResponse.json(refusal('mlp.account.unauthorized', 401), { status: 401 }),
    ),
  );
  show(<Page />);
  const button = await screen.findByText('anonymous');
  seen.length = 0;
  act(() => button.click());
  await act(async () => new Promise((done) => setTimeout(done, 200)));
  expect(new Set(seen)).toEqual(new Set(['anonymous']));
});

test('the platform is asked once who reads, also for a visitor', async () => {
  let asked = 0;
  server.use(http.get('*/c/authorization/session', () => (asked++, HttpResponse.json({ user: null }))));
  show(<Page />);
  const button = await screen.findByText('anonymous');
  act(() => button.click());
  await act(async () => new Promise((done) => setTimeout(done, 200)));
  expect(asked).toBe(1);
});
