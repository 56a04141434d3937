import type { CDPSession, Page } from '@playwright/test';

/** Four times slower than this machine, on the slow 4G of Lighthouse: 1.6 Mbit/s, 150 ms. */
const CPU_SLOWER = 4;
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};

export interface Vitals {
  lcp: number;
  cls: number;
  inp: number;
  /** The longest frame, in milliseconds; those below 50 ms are not told apart. */
  frame: number;
}

interface Seen extends Vitals {
  interactions: Record<string, number>;
}

declare global {
  interface Window {
    seenVitals: Seen;
  }
}

/** Must be called before the first page is opened. Returns the bytes of scripts as they were sent, so compressed. */
export async function watch(page: Page, { network }: { network: boolean }): Promise<() => number> {
  await observeVitals(page);
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  if (network) await cdp.send('Network.emulateNetworkConditions', SLOW_4G);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWER });
  const scripts = new Set<string>();
  let bytes = 0;
  cdp.on('Network.responseReceived', ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)));
  cdp.on(
    'Network.loadingFinished',
    ({ requestId, encodedDataLength }) => void (scripts.has(requestId) && (bytes += encodedDataLength)),
  );
  return () => bytes;
}

export const vitalsOf = (page: Page): Promise<Vitals> =>
  page.evaluate(() => ({
    lcp: window.seenVitals.lcp,
    cls: window.seenVitals.cls,
    inp: window.seenVitals.inp,
    frame: window.seenVitals.frame,
  }));

/** Forgets the frames of the start. */
export const forgetFrames = (page: Page): Promise<void> => page.evaluate(() => void (window.seenVitals.frame = 0));

/** Only collects; must be called before the first page is opened. */
export const observeVitals = (page: Page): Promise<unknown> => page.addInitScript(observe);

/** Runs in the page: the same definitions as those of the web-vitals library. */
function observe(): void {
  const seen: Seen = { lcp: 0, cls: 0, inp: 0, frame: 0, interactions: {} };
  window.seenVitals = seen;
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- only this function's own text reaches the page
  const each = (type: string, read: (entry: PerformanceEntry) => void, options: object = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type, buffered: true, ...options });
  each('largest-contentful-paint', ({ startTime }) => (seen.lcp = startTime));
  let [shifted, first, last] = [0, 0, 0];
  each('layout-shift', (entry) => {
    const { value, hadRecentInput, startTime } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (hadRecentInput) return;
    // Shifts within five seconds and less than one second apart belong together.
    if (startTime - last > 1000 || startTime - first > 5000) [shifted, first] = [0, startTime];
    [shifted, last] = [shifted + value, startTime];
    seen.cls = Math.max(seen.cls, shifted);
  });
  each(
    'event',
    (entry) => {
      const { interactionId, duration } = entry as PerformanceEntry & { interactionId: number };
      if (interactionId) seen.inp = Math.max(seen.inp, duration);
    },
    { durationThreshold: 16 },
  );
  each('long-animation-frame', ({ duration }) => (seen.frame = Math.max(seen.frame, duration)));
}
