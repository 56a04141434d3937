import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

export const LANGUAGES = ['ru', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Sections with their texts, as in a file of `locales/`. */
export type Texts = Record<string, object>;

const STORED = 'USER_LANGUAGE';
const DEFAULT: Language = 'ru';

/** Separate files, so that only the texts of the used language are loaded. */
const FILES: Record<Language, () => Promise<{ default: Texts }>> = {
  ru: () => import('@/locales/ru.json'),
  en: () => import('@/locales/en.json'),
};

function isLanguage(text: string): text is Language {
  return (LANGUAGES as readonly string[]).includes(text);
}

/** The user's earlier choice, else the browser's first supported language. */
export function initialLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored && isLanguage(stored)) return stored;
  return browser.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? DEFAULT;
}

export function createI18n(language: Language, texts: Texts): i18n {
  const instance = createInstance();
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'App',
    resources: { [language]: texts },
    interpolation: { escapeValue: false }, // React escapes
    appendNamespaceToMissingKey: true,
    parseMissingKeyHandler: (key) => `%${key}%`,
    react: { useSuspense: false },
  });
  instance.on('languageChanged', (chosen) => {
    document.documentElement.lang = chosen;
  });
  document.documentElement.lang = language;
  return instance;
}

export async function startI18n(): Promise<i18n> {
  const language = initialLanguage(localStorage.getItem(STORED), navigator.languages);
  return createI18n(language, (await FILES[language]()).default);
}

/** For this page only; loads the texts first, so that no key is ever visible. */
export async function speak(instance: i18n, language: Language): Promise<void> {
  if (instance.language === language) return;
  const { default: texts } = await FILES[language]();
  for (const [section, own] of Object.entries(texts)) instance.addResourceBundle(language, section, own);
  await instance.changeLanguage(language);
}

/** Stores the user's choice for the next visit. */
export async function chooseLanguage(instance: i18n, language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await speak(instance, language);
}
