import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { StartData } from '@/api/first/generated/core.gen';
import { show } from '@/testing/render';

import { StartBar } from './StartBar';
import { StateWithStart } from './StateWithStart';

const start = (part: Partial<StartData> = {}): StartData => ({
  phase: 'PREPARING',
  since: '2026-11-21T11:59:48Z',
  usualSeconds: 40,
  ...part,
});

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

test('a start tells its phase, how long already, and how long starts usually take', () => {
  show(<StateWithStart state="STARTING" start={start()} />);
  expect(screen.getByTestId('start')).toHaveTextContent('Preparing the image12 s so far · usually about 40 s');
});

test('it counts from the moment of the request, without announcing each second', () => {
  show(
    <div aria-live="polite">
      <StateWithStart state="STARTING" start={start()} />
    </div>,
  );
  act(() => void vi.advanceTimersByTime(50_000));
  expect(screen.getByRole('timer')).toHaveTextContent('1 min 2 s so far');
  expect(screen.getByRole('timer')).toHaveAttribute('aria-live', 'off');
});

test('what nobody knows of usual starts is not said', () => {
  show(<StateWithStart state="STARTING" start={start({ usualSeconds: null })} />);
  expect(screen.getByTestId('start')).toHaveTextContent(/12 s so far$/);
});

test('a clock that is behind the server counts from zero', () => {
  show(<StateWithStart state="STARTING" start={start({ since: '2026-11-21T12:00:09Z' })} />);
  expect(screen.getByRole('timer')).toHaveTextContent(/^0 s so far$/);
});

test('what waits for a server does not say how long a start takes', () => {
  show(<StateWithStart state="WAITING" start={start({ phase: 'WAITING_FOR_SERVER' })} />);
  expect(screen.getByTestId('start')).toHaveTextContent(/^Waiting for a server12 s so far$/);
});

test('an owner reads that it waits for room', () => {
  show(<StateWithStart state="WAITING_FOR_ROOM" start={start({ phase: 'WAITING_FOR_SERVER' })} />);
  expect(screen.getByTestId('start')).toHaveTextContent(/^Waiting for room/);
});

test('what does not start has its state alone', () => {
  show(<StateWithStart state="RUNNING" start={null} text="Answers at once" />);
  expect(screen.getByText('Answers at once')).toBeVisible();
  expect(screen.queryByRole('timer')).not.toBeInTheDocument();
});

test.each([
  ['en', 'SCHEDULING', 'Choosing a server'],
  ['en', 'CONNECTING', 'Starting and connecting'],
  ['ru', 'WAITING_FOR_SERVER', 'Ждёт сервера'],
  ['ru', 'SCHEDULING', 'Выбирается сервер'],
  ['ru', 'PREPARING', 'Готовится образ'],
  ['ru', 'CONNECTING', 'Запускается и подключается'],
] as const)('in %s the phase %s has words', (language, phase, words) => {
  show(<StateWithStart state="STARTING" start={start({ phase })} />, { language });
  expect(screen.getByText(words)).toBeVisible();
});

test('the bar of a start that takes longer than usual is not full', () => {
  const { container } = show(<StartBar start={start({ since: '2026-11-21T11:00:00Z' })} />);
  expect(container.querySelector('[role=progressbar]')).toHaveAttribute('aria-valuenow', '95');
});

test('what waits for a server has no bar', () => {
  const { container } = show(<StartBar start={start({ phase: 'WAITING_FOR_SERVER' })} />);
  expect(container.querySelector('[role=progressbar]')).toBeNull();
});

test('the timer stops with the last start that is shown', () => {
  const { unmount } = show(<StateWithStart state="STARTING" start={start()} />);
  unmount();
  expect(vi.getTimerCount()).toBe(0);
});
