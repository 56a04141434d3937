import { configureStore } from '@reduxjs/toolkit';
import { setupListeners } from '@reduxjs/toolkit/query';

import { api } from '@/api';

export function createStore() {
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().concat(api.middleware),
  });
  // Polls pause while the tab is hidden, and data refreshes when it comes back.
  setupListeners(store.dispatch);
  return store;
}

export type Store = ReturnType<typeof createStore>;
