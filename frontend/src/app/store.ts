import { configureStore } from '@reduxjs/toolkit';
import { setupListeners } from '@reduxjs/toolkit/query';

import { api } from '@/api';

import { refusals } from './refusals';

/** `react`: what the page does about refusals that concern all of it. The pages of signing in say them themselves. */
export function createStore(react: Parameters<typeof refusals>[0] = () => undefined) {
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().concat(api.middleware, refusals(react)),
  });
  // Polls pause while the tab is hidden, and data refreshes when it comes back.
  setupListeners(store.dispatch);
  return store;
}

export type Store = ReturnType<typeof createStore>;
