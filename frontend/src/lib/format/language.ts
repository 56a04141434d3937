/** The language of the page, which the switch of languages sets on the document. Values are formatted in it. */
export const pageLanguage = (): string => document.documentElement.lang || 'en';

/** Creating an Intl formatter takes far longer than its use, and a list formats hundreds of values. */
export function kept<Formatter>(create: (language: string) => Formatter): (language: string) => Formatter {
  const byLanguage = new Map<string, Formatter>();
  return (language) => {
    const known = byLanguage.get(language);
    if (known) return known;
    const created = create(language);
    byLanguage.set(language, created);
    return created;
  };
}
