import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { toastErrorOnce } from '@/components/feedback/Toasts';
import { chooseLanguage, type Language, speak } from '@/lib/i18n';
import { useSettings } from '@/lib/session';

/** The language to change to; null while an installation speaks English only, as it does until it says otherwise. */
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

/** An installation that speaks English only speaks it to everybody; what a person chose elsewhere is left as it is. */
export function useForcedLanguage(): void {
  const { i18n } = useTranslation();
  const { data: settings } = useSettings();
  const forced = settings?.englishOnly === true;
  useEffect(() => {
    // The texts that cannot be loaded leave the page as it is.
    if (forced) speak(i18n, 'en').catch(() => undefined);
  }, [forced, i18n]);
}
