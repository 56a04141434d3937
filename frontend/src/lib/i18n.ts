import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

import en from '@/locales/en.json';
import ru from '@/locales/ru.json';

export const LANGUAGES = ['ru', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const STORED = 'USER_LANGUAGE';
const DEFAULT: Language = 'ru';

function isLanguage(text: string): text is Language {
  return (LANGUAGES as readonly string[]).includes(text);
}

/** What the user chose before, else the first language of the browser that there is. */
export function initialLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored && isLanguage(stored)) return stored;
  return browser.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? DEFAULT;
}

export function createI18n(language: Language): i18n {
  const instance = createInstance();
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'App',
    resources: { ru, en },
    interpolation: { escapeValue: false }, // React escapes
    appendNamespaceToMissingKey: true,
    parseMissingKeyHandler: (key) => `%${key}%`,
  });
  instance.on('languageChanged', (chosen) => {
    document.documentElement.lang = chosen;
  });
  document.documentElement.lang = language;
  return instance;
}

export function startI18n(): i18n {
  return createI18n(initialLanguage(localStorage.getItem(STORED), navigator.languages));
}

export async function chooseLanguage(instance: i18n, language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await instance.changeLanguage(language);
}
