import { MantineContext } from '@mantine/core';
import { createMemoryHistory } from '@tanstack/history';
import { render } from '@testing-library/react';
import { type ReactElement, type ReactNode, use } from 'react';
import { Route, Routes } from 'react-router';

import { api } from '@/api';
import { AddressRouter } from '@/app/AddressRouter';
import { Providers } from '@/app/Providers';
import { createStore } from '@/app/store';
import { createI18n, type Language, type Texts } from '@/lib/i18n';
import { PROBLEMS } from '@/lib/problems/texts';
import en from '@/locales/en.json';
import englishProblems from '@/locales/problems/en.json';
import russianProblems from '@/locales/problems/ru.json';
import ru from '@/locales/ru.json';

/** With the texts of errors, which the application loads when they are needed. */
export const TEXTS: Record<Language, Texts> = {
  en: { ...en, [PROBLEMS]: englishProblems },
  ru: { ...ru, [PROBLEMS]: russianProblems },
};

interface Options {
  path?: string;
  /** The pattern of the page's addresses, if it reads parameters. */
  route?: string;
  language?: Language;
  react?: Parameters<typeof createStore>[0];
  /** Default: all texts of the language. */
  texts?: Texts;
}

/** Renders with all providers of the application; addresses other than `path` render their path as text. */
export function show(
  element: ReactElement,
  { path = '/', route, language = 'en', react, texts = TEXTS[language] }: Options = {},
) {
  const store = createStore(react);
  const history = createMemoryHistory({ initialEntries: [path] });
  const view = render(
    <Providers store={store} language={createI18n(language, texts)}>
      <WithoutLayout>
        <AddressRouter history={history}>
          <Routes>
            <Route path={route ?? path.split('?')[0] ?? path} element={element} />
            <Route path="*" element={<p data-testid="elsewhere" />} />
          </Routes>
        </AddressRouter>
      </WithoutLayout>
    </Providers>,
  );
  return { ...view, history, store, again: () => store.dispatch(api.util.invalidateTags(['Session'])) };
}

/** Else Mantine hides a menu as soon as it has computed its place: in jsdom nothing has a size, so its button seems to be out of view. */
function WithoutLayout({ children }: { children: ReactNode }) {
  const context = use(MantineContext);
  return <MantineContext value={context && { ...context, env: 'test' }}>{children}</MantineContext>;
}
