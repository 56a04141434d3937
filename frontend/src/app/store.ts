import { configureStore } from '@reduxjs/toolkit';
import { setupListeners } from '@reduxjs/toolkit/query';

import { api } from '@/api/base';

import { refusals } from './refusals';

/** `react` handles refusals that concern the whole page. The sign-in pages show them themselves. */
export function createStore(react: Parameters<typeof refusals>[0] = () => undefined) {
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().concat(api.middleware, refusals(react)),
  });
  // Polling pauses while the tab is hidden, and data is refetched when it becomes visible.
  setupListeners(store.dispatch);
  return store;
}

export type Store = ReturnType<typeof createStore>;
