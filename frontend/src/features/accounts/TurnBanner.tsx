import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Turn } from './useTurn';

const MINUTE = 60;

/** Shows the remaining wait. Screen readers announce it once, not at every second. */
export function TurnBanner({ turn: { seconds, byItself } }: { turn: Turn }) {
  const { t } = useTranslation('Accounts');
  if (!seconds) return null;
  const time =
    seconds > 2 * MINUTE ? t('minutes', { count: Math.ceil(seconds / MINUTE) }) : t('seconds', { count: seconds });
  return (
    <Alert color="yellow">
      <output>{t('tooMany')}</output> {t(byItself ? 'goesOnIn' : 'againIn', { time })}
    </Alert>
  );
}
