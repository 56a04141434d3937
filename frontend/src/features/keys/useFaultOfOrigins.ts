import { useTranslation } from 'react-i18next';

import { allowsAny, isNoOrigin, MOST_ORIGINS } from './origins';

/** Of what is no origin; all are marked. */
const MOST_NAMED = 5;
const MOST_OF_NAME = 60;
const shortened = (text: string) => (text.length > MOST_OF_NAME ? `${text.slice(0, MOST_OF_NAME)}…` : text);

/** What is wrong with a list of origins; null if nothing is. */
export function useFaultOfOrigins(): (origins: readonly string[]) => string | null {
  const { t } = useTranslation('Keys');
  return (origins) => {
    const wrong = origins.filter(isNoOrigin).map(shortened);
    const list = wrong.length > MOST_NAMED ? [...wrong.slice(0, MOST_NAMED), '…'] : wrong;
    const faults = [
      // Beside `*`, the others are not sent.
      ...(origins.length > MOST_ORIGINS && !allowsAny(origins)
        ? [t('tooManyOrigins', { max: MOST_ORIGINS, count: origins.length })]
        : []),
      ...(wrong.length ? [t('badOrigins', { list: list.join(', ') })] : []),
    ];
    return faults.join(' ') || null;
  };
}
