import { useTranslation } from 'react-i18next';

import { formatDuration } from '@/lib/format/time';

const ALL_UNITS = 4;

/** How long something takes, in its two largest units; all of them on hover. No duration is a dash. */
export function Duration({ seconds }: { seconds: number | null }) {
  const { i18n } = useTranslation();
  if (seconds === null) return '–';
  const shown = formatDuration(seconds, i18n.language);
  const exact = formatDuration(seconds, i18n.language, ALL_UNITS);
  return (
    <time dateTime={`PT${seconds}S`} title={exact === shown ? undefined : exact} style={{ whiteSpace: 'nowrap' }}>
      {shown}
    </time>
  );
}
