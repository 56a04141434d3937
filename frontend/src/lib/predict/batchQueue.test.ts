import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { BatchQueue } from './batchQueue';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what happens within five seconds leaves in one batch, and the queue is empty then', () => {
  const send = vi.fn<(batch: number[]) => void>();
  const queue = new BatchQueue(send, 5000);
  queue.push(1);
  vi.advanceTimersByTime(4999);
  queue.push(2);
  expect(send).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(send.mock.calls).toEqual([[[1, 2]]]);
  vi.advanceTimersByTime(20_000);
  expect(send).toHaveBeenCalledTimes(1);
});

test('between two batches there are five seconds', () => {
  const send = vi.fn<(batch: number[]) => void>();
  const queue = new BatchQueue(send, 5000);
  queue.push(1);
  vi.advanceTimersByTime(5000);
  queue.push(2);
  vi.advanceTimersByTime(4999);
  expect(send).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(send.mock.calls).toEqual([[[1]], [[2]]]);
});

test('it holds so many and no more', () => {
  const send = vi.fn<(batch: number[]) => void>();
  const queue = new BatchQueue(send, 5000, 2);
  for (const item of [1, 2, 3]) queue.push(item);
  vi.advanceTimersByTime(5000);
  expect(send.mock.calls).toEqual([[[1, 2]]]);
});

test('what waits can leave at once, and leaves once', () => {
  const send = vi.fn<(batch: number[]) => void>();
  const queue = new BatchQueue(send, 5000);
  queue.push(1);
  queue.flush();
  vi.advanceTimersByTime(10_000);
  expect(send.mock.calls).toEqual([[[1]]]);
});
