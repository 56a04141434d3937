import { useTranslation } from 'react-i18next';

import { roughly } from './starting';

/** What the service's state means for a call now; empty if the state says it all. */
export function useStartText(): (state: string, startSeconds: number | null) => string {
  const { t } = useTranslation('Starting');
  return (state, startSeconds) => {
    if (state === 'RUNNING') return t('atOnce');
    const sleeps = state === 'SLEEPING' || state === 'STARTING';
    if (startSeconds === null) return (sleeps ? t(`${state}.soon`) : '');
    const { unit, count } = roughly(startSeconds);
    return t(sleeps ? `${state}.in` : 'startsIn', { time: `${count} ${t(`unit.${unit}`)}` });
  };
}
