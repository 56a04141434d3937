import { MantineProvider } from '@mantine/core';
import type { i18n } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { I18nextProvider } from 'react-i18next';
import { Provider } from 'react-redux';

import { Toasts } from '@/components/feedback/Toasts';
import { type Brand, BrandContext, STANDARD } from '@/lib/brand';

import { ErrorBoundary } from './ErrorBoundary';
import type { Store } from './store';
import { themeOf, variablesOf } from './theme';

export interface Surroundings {
  store: Store;
  language: i18n;
  brand?: Brand;
}

export function Providers({ store, language, brand = STANDARD, children }: Surroundings & { children: ReactNode }) {
  const [theme, variables] = useMemo(() => [themeOf(brand), variablesOf(brand)], [brand]);
  return (
    <Provider store={store}>
      <I18nextProvider i18n={language}>
        <BrandContext value={brand}>
          <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
            <ErrorBoundary>
              <Toasts />
              {children}
            </ErrorBoundary>
          </MantineProvider>
        </BrandContext>
      </I18nextProvider>
    </Provider>
  );
}
