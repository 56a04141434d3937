import '@testing-library/jest-dom/vitest';

import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

import { clearToasts } from '@/components/feedback/toastRegions';

import { server } from './server';

// What jsdom lacks and Mantine asks for.
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
  dispatchEvent: () => false,
  onchange: null,
}));
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
Object.defineProperty(Element.prototype, 'scrollIntoView', { value: () => undefined, configurable: true });
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

// A machine that runs much else answers late; what never comes still fails.
configure({ asyncUtilTimeout: 60_000 });

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  clearToasts();
  cleanup();
  server.resetHandlers();
  localStorage.clear();
});
// Files share the globals and the document of a worker, but no module of ours: what a file replaced is put back.
afterAll(() => {
  server.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.resetModules();
});
