import { useTranslation } from 'react-i18next';

import { formatRoughDuration } from './format/time';

/** What the service's state means for a call now, to show beside the word of the state, or `alone`; empty if that word says it all. */
export function useStartText(): (state: string, startSeconds: number | null, how?: { alone: boolean }) => string {
  const { t } = useTranslation('Starting');
  return (state, startSeconds, { alone } = { alone: false }) => {
    if (state === 'RUNNING') return alone ? t('atOnce') : '';
    // How long the start takes says nothing of how long the wait takes.
    if (state === 'WAITING' || state === 'WAITING_FOR_ROOM') return '';
    if (startSeconds === null) return state === 'SLEEPING' ? t('SLEEPING.soon') : '';
    const starting = state === 'STARTING' || state === 'SCHEDULED';
    return t(
      starting ? (alone ? 'STARTING.alone' : 'STARTING.in') : state === 'SLEEPING' ? 'SLEEPING.in' : 'startsIn',
      { time: formatRoughDuration(startSeconds) },
    );
  };
}
