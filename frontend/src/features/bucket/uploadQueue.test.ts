import { expect, test, vi } from 'vitest';

import type { Problem } from '@/api';
import type { Sent } from '@/lib/sendFile';

import { AT_ONCE, UploadQueue } from './uploadQueue';

const PROBLEM: Problem = {
  status: 413,
  code: 'mlp.core.storage_limit_exceeded',
  message: 'full',
  args: {},
  requestId: null,
};

/** A queue whose files end when the test says so. */
function queue() {
  const calls: {
    key: string;
    onProgress: (share: number) => void;
    end: (sent: Sent<unknown>) => Promise<void>;
    signal: AbortSignal;
  }[] = [];
  const onStored = vi.fn<(last: boolean) => void>();
  const uploads = new UploadQueue(
    ({ key }, onProgress, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({}));
        calls.push({
          key,
          onProgress,
          signal,
          end: async (sent) => {
            resolve(sent);
            await Promise.resolve();
            await Promise.resolve();
          },
        });
      }),
    onStored,
  );
  const add = (...keys: string[]) => uploads.add(keys.map((key) => ({ key, file: new File(['x'], key) })));
  const states = () => Object.fromEntries(uploads.all().map(({ key, state }) => [key, state]));
  return { uploads, calls, onStored, add, states };
}

test('sends three at a time, and the next when one has ended', async () => {
  const { calls, add, states } = queue();
  add('a', 'b', 'c', 'd');
  expect(calls.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  expect(states()).toEqual({ a: 'sending', b: 'sending', c: 'sending', d: 'waiting' });
  await calls[1]?.end({ data: {} });
  expect(calls.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
  expect(states()).toEqual({ a: 'sending', b: 'stored', c: 'sending', d: 'sending' });
  expect(AT_ONCE).toBe(3);
});

test('says of the last stored file that it is the last', async () => {
  const { calls, add, onStored } = queue();
  add('a', 'b');
  await calls[0]?.end({ data: {} });
  await calls[1]?.end({ data: {} });
  expect(onStored.mock.calls).toEqual([[false], [true]]);
});

test('a refused file keeps its problem, makes room for others, and is sent again on request', async () => {
  const { uploads, calls, add, states, onStored } = queue();
  add('a', 'b', 'c', 'd');
  await calls[0]?.end({ error: PROBLEM });
  expect(uploads.all()[0]).toMatchObject({ state: 'failed', problem: PROBLEM });
  expect(states()['d']).toBe('sending');
  for (const call of calls.slice(1)) await call.end({ data: {} });
  uploads.retry(uploads.all()[0]?.id ?? 0);
  expect(uploads.all()[0]).toMatchObject({ state: 'sending', problem: null, percent: 0 });
  await calls.at(-1)?.end({ data: {} });
  expect(states()['a']).toBe('stored');
  expect(onStored).toHaveBeenLastCalledWith(true);
});

test('a cancelled file is stopped, leaves the list, and another takes its place', async () => {
  const { uploads, calls, add, states, onStored } = queue();
  add('a', 'b', 'c', 'd', 'e');
  uploads.cancel(uploads.all()[4]?.id ?? 0);
  uploads.cancel(uploads.all()[0]?.id ?? 0);
  await vi.waitFor(() => expect(calls.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']));
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(states()).toEqual({ b: 'sending', c: 'sending', d: 'sending' });
  expect(onStored).not.toHaveBeenCalled();
});

test('cancelling all stops those that are sent and begins no others', async () => {
  const { uploads, calls, add } = queue();
  add('a', 'b', 'c', 'd');
  uploads.cancelAll();
  await Promise.resolve();
  await Promise.resolve();
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  expect(uploads.all()).toEqual([]);
});

test('the list changes only with a whole percent', () => {
  const { uploads, calls, add } = queue();
  add('a');
  const heard = vi.fn<() => void>();
  const leave = uploads.subscribe(heard);
  for (const share of [0.5, 0.501, 0.509, 0.51]) calls[0]?.onProgress(share);
  expect(uploads.all()[0]?.percent).toBe(51);
  expect(heard).toHaveBeenCalledTimes(2);
  leave();
  calls[0]?.onProgress(1);
  expect(heard).toHaveBeenCalledTimes(2);
});
