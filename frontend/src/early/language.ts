export const LANGUAGES = ['ru', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const STORED = 'USER_LANGUAGE';
const DEFAULT: Language = 'ru';

export function isLanguage(text: string): text is Language {
  return (LANGUAGES as readonly string[]).includes(text);
}

/** The user's earlier choice, else the browser's first supported language. */
export function initialLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored && isLanguage(stored)) return stored;
  return browser.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? DEFAULT;
}

export const storedLanguage = (): string | null => localStorage.getItem(STORED);

export function storeLanguage(language: Language): void {
  localStorage.setItem(STORED, language);
}
