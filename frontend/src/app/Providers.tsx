import { MantineProvider } from '@mantine/core';
import type { i18n } from 'i18next';
import type { ReactNode } from 'react';
import { I18nextProvider } from 'react-i18next';
import { Provider } from 'react-redux';

import { Toasts } from '@/components/Toasts';

import { ErrorBoundary } from './ErrorBoundary';
import type { Store } from './store';
import { theme, variables } from './theme';

export function Providers({ store, language, children }: { store: Store; language: i18n; children: ReactNode }) {
  return (
    <Provider store={store}>
      <I18nextProvider i18n={language}>
        <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
          <ErrorBoundary>
            <Toasts />
            {children}
          </ErrorBoundary>
        </MantineProvider>
      </I18nextProvider>
    </Provider>
  );
}
