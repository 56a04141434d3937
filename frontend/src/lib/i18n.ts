import { type BackendModule, createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

import { initialLanguage, isLanguage, type Language, storedLanguage, storeLanguage } from '@/early/language';

import { type Part, partOf } from './firstSections';

export { initialLanguage, type Language, LANGUAGES } from '@/early/language';

/** Sections with their texts, as in a file of `locales/`. */
export type Texts = Record<string, object>;

const PARTS = ['first', 'rest', 'later'] as const satisfies readonly Part[];

type Load = () => Promise<{ default: Texts }>;

/** Separate files, so that only the texts of the used language are loaded, and first those that the first page needs. */
const FILES: Record<Language, Record<Part, Load>> = {
  ru: {
    first: () => import('@/locales/ru.json?first'),
    rest: () => import('@/locales/ru.json?rest'),
    later: () => import('@/locales/ru.json?later'),
  },
  en: {
    first: () => import('@/locales/en.json?first'),
    rest: () => import('@/locales/en.json?rest'),
    later: () => import('@/locales/en.json?later'),
  },
};

export function createI18n(language: Language, texts: Texts, source?: BackendModule): i18n {
  const instance = createInstance();
  if (source) instance.use(source);
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'App',
    resources: { [language]: texts },
    interpolation: { escapeValue: false }, // React escapes
    appendNamespaceToMissingKey: true,
    parseMissingKeyHandler: (key) => `%${key}%`,
    // With a backend, a component whose section has not arrived suspends.
    partialBundledLanguages: true,
  });
  instance.on('languageChanged', (chosen) => {
    document.documentElement.lang = chosen;
  });
  document.documentElement.lang = language;
  return instance;
}

/** Resolves when the texts of the first page are there; the others are loaded by `loadRest`, or when a component needs them. */
export async function startI18n(): Promise<i18n> {
  const language = initialLanguage(storedLanguage(), navigator.languages);
  return createI18n(language, (await FILES[language].first()).default, backend);
}

/** i18next asks for one section; its file has others too, so a component may use several. */
const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, section, answer) => {
    if (!isLanguage(language)) return answer(null, {});
    textsOf(language, partOf(section)).then(
      (texts) => answer(null, texts[section] ?? {}),
      (error: unknown) => answer(error instanceof Error ? error : String(error), true), // i18next tries again
    );
  },
};

async function textsOf(language: Language, part: Part): Promise<Texts> {
  return (await FILES[language][part]()).default;
}

/** Loads the texts that a component may need next. */
export async function loadRest(instance: i18n): Promise<void> {
  const { language } = instance;
  if (!isLanguage(language)) return;
  add(instance, language, await textsOf(language, 'rest'));
  add(instance, language, await textsOf(language, 'later'));
}

function add(instance: i18n, language: Language, texts: Texts): void {
  for (const [section, own] of Object.entries(texts)) instance.addResourceBundle(language, section, own);
}

/** For this page only; loads the texts first, so that no key is ever visible. */
export async function speak(instance: i18n, language: Language): Promise<void> {
  if (instance.language === language) return;
  const parts = await Promise.all(PARTS.map((part) => textsOf(language, part)));
  add(instance, language, Object.assign({}, ...parts) as Texts);
  await instance.changeLanguage(language);
}

/** Stores the user's choice for the next visit. */
export async function chooseLanguage(instance: i18n, language: Language): Promise<void> {
  storeLanguage(language);
  await speak(instance, language);
}
