import { type BackendModule, createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

export const LANGUAGES = ['ru', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Sections with their texts, as in a file of `locales/`. */
export type Texts = Record<string, object>;

const STORED = 'USER_LANGUAGE';
const DEFAULT: Language = 'ru';

type Load = () => Promise<{ default: Texts }>;

/** Separate files, so that only the texts of the used language are loaded, and first those that the first page needs. */
const FILES: Record<Language, { first: Load; rest: Load }> = {
  ru: { first: () => import('@/locales/ru.json?first'), rest: () => import('@/locales/ru.json?rest') },
  en: { first: () => import('@/locales/en.json?first'), rest: () => import('@/locales/en.json?rest') },
};

function isLanguage(text: string): text is Language {
  return (LANGUAGES as readonly string[]).includes(text);
}

/** The user's earlier choice, else the browser's first supported language. */
export function initialLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored && isLanguage(stored)) return stored;
  return browser.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? DEFAULT;
}

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
  const language = initialLanguage(localStorage.getItem(STORED), navigator.languages);
  return createI18n(language, (await FILES[language].first()).default, backend);
}

/** i18next asks for one section; the file has all that are left, so a component may use several. */
const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, section, answer) => {
    if (!isLanguage(language)) return answer(null, {});
    restOf(language).then(
      (texts) => answer(null, texts[section] ?? {}),
      (error: unknown) => answer(error instanceof Error ? error : String(error), true), // i18next tries again
    );
  },
};

async function restOf(language: Language): Promise<Texts> {
  return (await FILES[language].rest()).default;
}

/** Loads the texts that a component may need next. */
export async function loadRest(instance: i18n): Promise<void> {
  if (isLanguage(instance.language)) add(instance, instance.language, await restOf(instance.language));
}

function add(instance: i18n, language: Language, texts: Texts): void {
  for (const [section, own] of Object.entries(texts)) instance.addResourceBundle(language, section, own);
}

/** For this page only; loads the texts first, so that no key is ever visible. */
export async function speak(instance: i18n, language: Language): Promise<void> {
  if (instance.language === language) return;
  const [first, rest] = await Promise.all([FILES[language].first(), FILES[language].rest()]);
  add(instance, language, { ...first.default, ...rest.default });
  await instance.changeLanguage(language);
}

/** Stores the user's choice for the next visit. */
export async function chooseLanguage(instance: i18n, language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await speak(instance, language);
}
