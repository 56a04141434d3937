import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { toastErrorOnce } from '@/components/feedback/Toasts';
import { chooseLanguage, type Language, speak } from '@/lib/i18n';
import { useSettings } from '@/lib/session';

/** The other language; null if the installation supports only English, which is the default. */
export function useOtherLanguage(): { name: string; choose: () => void } | null {
  const { t, i18n } = useTranslation('Header');
  const { data: settings } = useSettings();
  if (settings?.englishOnly !== false) return null;
  const other: Language = i18n.language === 'ru' ? 'en' : 'ru';
  const choose = () => {
    chooseLanguage(i18n, other).catch((error: unknown) => toastErrorOnce(t('Error:noAnswer'), String(error)));
  };
  return { name: t('otherLanguage'), choose };
}

/** An installation that supports only English uses it for everybody; a choice made elsewhere is kept. */
export function useForcedLanguage(): void {
  const { i18n } = useTranslation();
  const { data: settings } = useSettings();
  const forced = settings?.englishOnly === true;
  useEffect(() => {
    // If texts cannot be loaded, the page stays as it is.
    if (forced) speak(i18n, 'en').catch(() => undefined);
  }, [forced, i18n]);
}
