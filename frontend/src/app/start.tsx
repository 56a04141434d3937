import { type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';

import { applyBrand, loadBrand } from '@/lib/brand';
import { isChunkFailure, reloadOnce } from '@/lib/chunks';
import { loadRest, startI18n } from '@/lib/i18n';

import { Providers } from './Providers';
import type { Store } from './store';

/** Starts both entries: renders only after texts and brand are loaded, since each of them would shift the layout. */
export async function start(store: Store, content: ReactNode): Promise<void> {
  const place = document.getElementById('root');
  if (!place) throw new Error('the page has no place for the application');
  try {
    const [language, brand] = await Promise.all([startI18n(), loadBrand()]);
    applyBrand(brand);
    createRoot(place).render(
      <Providers store={store} language={language} brand={brand}>
        <Suspense fallback={null}>{content}</Suspense>
      </Providers>,
    );
    // If this fails, i18next tries again as soon as a component needs them.
    loadRest(language).catch(() => undefined);
  } catch (error) {
    if (error instanceof Error && isChunkFailure(error) && reloadOnce(sessionStorage, () => location.reload())) return;
    place.textContent =
      'The page could not be loaded. Reload it, please. · Страница не загрузилась. Обновите её, пожалуйста.';
    throw error;
  }
}
