import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { clock } from '@/lib/clock';
import { formatExactMoment, fromNow, isMoment, NO_MOMENT } from '@/lib/format/time';

/** A moment relative to now, kept up to date; the exact moment on hover. Nothing, and what is no moment, is a dash. */
export function When({ at }: { at: string | number | null }) {
  const { i18n } = useTranslation();
  const now = useSyncExternalStore(clock.subscribe, clock.now);
  if (at === null || !isMoment(at)) return NO_MOMENT;
  const moment = new Date(at);
  return (
    <time
      dateTime={moment.toISOString()}
      title={formatExactMoment(moment, i18n.language)}
      style={{ whiteSpace: 'nowrap' }}
    >
      {fromNow(moment, i18n.language, now)}
    </time>
  );
}
