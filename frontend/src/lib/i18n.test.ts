import { describe, expect, test } from 'vitest';

import en from '@/locales/en.json';
import ru from '@/locales/ru.json';

import { chooseLanguage, createI18n, initialLanguage } from './i18n';

type Texts = { [key: string]: string | Texts };

/** Every text by its path. */
function leaves(texts: Texts, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : leaves(value, `${path}${key}.`),
  );
}

const placeholders = (text: string) => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));

describe('initialLanguage', () => {
  test.each([
    ['en', ['ru-RU'], 'en'],
    [null, ['en-GB', 'ru'], 'en'],
    [null, ['de-DE', 'ru'], 'ru'],
    ['fr', ['de'], 'ru'],
    [null, [], 'ru'],
  ])('stored %s and browser %s give %s', (stored, browser, chosen) => {
    expect(initialLanguage(stored, browser)).toBe(chosen);
  });
});

describe('texts', () => {
  test('both languages say the same things', () => {
    expect(leaves(ru).map(([path]) => path)).toEqual(leaves(en).map(([path]) => path));
  });

  test('both languages have the same places to fill in', () => {
    const english = new Map(leaves(en));
    for (const [path, text] of leaves(ru)) {
      expect([path, placeholders(text)]).toEqual([path, placeholders(english.get(path) ?? '')]);
    }
  });

  test('a text that is missing shows its key between percent signs', () => {
    expect(createI18n('en', en).t('NoSuch:Key.path')).toBe('%NoSuch:Key.path%');
  });

  test('the page says which language it speaks', async () => {
    const language = createI18n('ru', ru);
    expect([document.documentElement.lang, language.t('Catalog:title')]).toEqual(['ru', ru.Catalog.title]);
    await chooseLanguage(language, 'en');
    expect([document.documentElement.lang, language.t('Catalog:title')]).toEqual(['en', en.Catalog.title]);
    expect(localStorage.getItem('USER_LANGUAGE')).toBe('en');
  });
});
