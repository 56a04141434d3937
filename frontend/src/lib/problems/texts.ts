import type { i18n } from 'i18next';
import { useEffect, useReducer } from 'react';
import { useTranslation } from 'react-i18next';

import type { Language } from '@/lib/i18n';

/** The namespace of the texts of errors. They are many, and most visits need none, so they have a file of their own. */
export const PROBLEMS = 'Problems';

const FILES: Record<Language, () => Promise<{ default: object }>> = {
  ru: () => import('@/locales/problems/ru.json'),
  en: () => import('@/locales/problems/en.json'),
};

/** Returns whether the texts of the language are there. Never rejects: without them the server's words are shown. */
export async function loadProblemTexts(instance: i18n, language: string): Promise<boolean> {
  if (instance.hasResourceBundle(language, PROBLEMS)) return true;
  try {
    instance.addResourceBundle(language, PROBLEMS, (await FILES[language as Language]()).default);
    return true;
  } catch {
    return false;
  }
}

/** Loads the texts if necessary, and renders again when they are there. */
export function useProblemTexts(): i18n {
  const { i18n: instance } = useTranslation();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { language } = instance;
  useEffect(() => {
    if (instance.hasResourceBundle(language, PROBLEMS)) return undefined;
    let left = false;
    void loadProblemTexts(instance, language).then((there) => {
      if (there && !left) redraw();
    });
    return () => {
      left = true;
    };
  }, [instance, language]);
  return instance;
}
