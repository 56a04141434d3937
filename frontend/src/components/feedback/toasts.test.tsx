import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { toastBrief, toastErrorOnce, toastGeneral } from './Toasts';
import { problemText, useProblemToast } from './useProblemToast';

const placeOf = async (text: string) =>
  (await screen.findByText(text)).closest('[data-position]')?.getAttribute('data-position');

test('the same error is not shown again within half a minute', () => {
  expect(toastErrorOnce('Failed', 'no place', 1000)).toBe(true);
  expect(toastErrorOnce('Failed', 'no place', 30_999)).toBe(false);
  expect(toastErrorOnce('Failed', 'another', 30_999)).toBe(true);
  expect(toastErrorOnce('Failed', 'no place', 31_000)).toBe(true);
});

test.each([
  ['no place', { reason: 'disk is full' }, 'no place disk is full'],
  ['server s-1 is gone', { server: 's-1' }, 'server s-1 is gone'],
  ['', { a: 'x', b: '' }, 'x'],
])('%s with %o says "%s"', (message, args, text) => {
  expect(problemText({ message, args })).toBe(text);
});

test('three regions, and an error says what the server said', async () => {
  const problem = { status: 409, code: 'x', message: 'it is taken', args: {}, requestId: null };
  function Failing() {
    const toast = useProblemToast();
    return (
      <button type="button" onClick={() => toast('It did not work', problem)}>
        fail
      </button>
    );
  }
  show(<Failing />);
  // Must run first, since it disappears first.
  act(() => toastBrief('done'));
  expect(await placeOf('done')).toBe('bottom-center');
  act(() => toastGeneral('to everybody'));
  expect(await placeOf('to everybody')).toBe('top-center');
  act(() => screen.getByRole('button', { name: 'fail' }).click());
  expect(await placeOf('Error message: it is taken')).toBe('top-right');
});
