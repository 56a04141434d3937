import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { show } from '@/testing/render';

import { SearchBox } from './SearchBox';

const asked: (string | null)[] = [];

/** The address changes when the test lets it arrive: while a page loads, people type on. */
function Page() {
  const [search, setSearch] = useState('');
  return (
    <>
      <input aria-label="address" value={search} onChange={({ currentTarget }) => setSearch(currentTarget.value)} />
      <SearchBox search={search} onChange={(_, value) => asked.push(value)} />
    </>
  );
}

function arrive(text: string) {
  fireEvent.change(screen.getByRole('textbox', { name: 'address' }), { target: { value: text } });
}

function type(text: string) {
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: text } });
}

function pause() {
  act(() => void vi.advanceTimersByTime(1000));
}

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  show(<Page />);
});
afterEach(() => void vi.useRealTimers());

test('what is typed while the address has not changed yet stays', () => {
  type('gre');
  pause();
  type('greet');
  expect(screen.getByRole('searchbox')).toHaveValue('greet');
  arrive('gre');
  expect(screen.getByRole('searchbox')).toHaveValue('greet');
  type('greeting');
  pause();
  arrive('greeting');
  expect([asked, screen.getByRole('searchbox')]).toEqual([
    ['gre', 'greeting'],
    expect.objectContaining({ value: 'greeting' }),
  ]);
});

test('an address that was left out on the way does not take letters away', () => {
  type('g');
  pause();
  type('gr');
  pause();
  type('gre');
  arrive('gr');
  expect(screen.getByRole('searchbox')).toHaveValue('gre');
});

test('the back button brings its text back, also one that this box has asked for before', () => {
  type('gre');
  pause();
  arrive('gre');
  type('greet');
  pause();
  arrive('greet');
  arrive('gre');
  expect(screen.getByRole('searchbox')).toHaveValue('gre');
  type('gr');
  type('gre');
  pause();
  type('x');
  pause();
  arrive('x');
  arrive('gre');
  expect(screen.getByRole('searchbox')).toHaveValue('gre');
});
