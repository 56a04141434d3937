import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { useRecorder } from './useRecorder';

class Recorder extends EventTarget {
  static last: Recorder | undefined;
  state: 'inactive' | 'recording' = 'inactive';
  constructor(readonly stream: { getTracks: () => { stop: () => void }[] }) {
    super();
    Recorder.last = this;
  }
  start() {
    this.state = 'recording';
  }
  stop() {
    this.state = 'inactive';
    this.dispatchEvent(new Event('stop'));
  }
  hears(size: number) {
    this.dispatchEvent(Object.assign(new Event('dataavailable'), { data: new Blob(['x'.repeat(size)]) }));
  }
}

const release = vi.fn<() => void>();

beforeEach(() => {
  Recorder.last = undefined;
  vi.stubGlobal('MediaRecorder', Recorder);
  const stream = { getTracks: () => [{ stop: release }] };
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: () => Promise.resolve(stream) } });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  release.mockClear();
});

async function started() {
  const { result } = renderHook(() => useRecorder(() => undefined));
  act(() => result.current.start());
  await waitFor(() => expect(Recorder.last?.state).toBe('recording'));
  return result;
}

test('it says that it records once there is sound', async () => {
  const recorder = await started();
  expect(recorder.current.state).toBe('asking');
  act(() => Recorder.last?.hears(0));
  expect(recorder.current.state).toBe('asking');
  act(() => Recorder.last?.hears(10));
  expect(recorder.current.state).toBe('recording');
});

test('a microphone that gives nothing is let go, and said to be unreadable', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const recorder = await started();
  act(() => void vi.advanceTimersByTime(10_000));
  expect(Recorder.last?.state).toBe('inactive');
  expect(release).toHaveBeenCalled();
  await waitFor(() => expect(recorder.current.fault).toBe('unreadable'));
  expect(recorder.current.state).toBe('idle');
});
