import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { toastBrief, toastErrorOnce, toastGeneral } from './Toasts';
import { problemText, useProblemToast } from './useProblemToast';

test('the same error is not shown again within half a minute', () => {
  expect(toastErrorOnce('Failed', 'no place', 1000)).toBe(true);
  expect(toastErrorOnce('Failed', 'no place', 30_999)).toBe(false);
  expect(toastErrorOnce('Failed', 'another', 30_999)).toBe(true);
  expect(toastErrorOnce('Failed', 'no place', 31_000)).toBe(true);
});

test.each([
  ['no place', { reason: 'disk is full' }, 'no place disk is full'], ['server s-1 is gone', { server: 's-1' }, 'server s-1 is gone'], ['', { a: 'x', b: '' }, 'x'],
])('%s with %o says "%s"', (message, args, text) => {
  expect(problemText({ message, args })).toBe(text);
});

test('three regions, and an error says what the server said', async () => {
  const problem = { status: 409, code: 'x', message: 'it is taken', args: {}, requestId: null };
  function Failing() {
    const toast = useProblemToast();
    return <button type="button" onClick={() => toast('It did not work', problem)}>fail</button>;
  }
  show(<Failing />);
  act(() => screen.getByRole('button', { name: 'fail' }).click());
  act(() => toastGeneral('to everybody'));
  act(() => toastBrief('done'));
  expect(await screen.findByText('Error message: it is taken')).toBeInTheDocument();
  expect(await screen.findByText('to everybody')).toBeInTheDocument();
  const places = [...document.querySelectorAll('[data-position]')].map((region) => region.getAttribute('data-position'));
  expect(new Set(places)).toEqual(new Set(['top-right', 'top-center', 'bottom-center']));
});
