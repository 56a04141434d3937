import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { ReadMarks } from './useReadMarks';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('marks leave in a batch after three seconds, each once', async () => {
  const send = vi.fn<(ids: string[]) => Promise<boolean>>().mockResolvedValue(true);
  const marks = new ReadMarks(send);
  marks.mark(['a']);
  marks.mark(['a', 'b']);
  await vi.advanceTimersByTimeAsync(2999);
  expect(send).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  marks.mark(['a', 'b']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(send.mock.calls).toEqual([[['a', 'b']]]);
});

test('marks that were not kept are tried again', async () => {
  const send = vi.fn<(ids: string[]) => Promise<boolean>>().mockResolvedValueOnce(false).mockResolvedValue(true);
  const marks = new ReadMarks(send);
  marks.mark(['a']);
  await vi.advanceTimersByTimeAsync(3000);
  marks.mark(['a']);
  await vi.advanceTimersByTimeAsync(3000);
  expect(send.mock.calls).toEqual([[['a']], [['a']]]);
});
