import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { EventHistory } from '@/components/events/EventHistory';

/** What happened to a data image. */
export function DataImageEvents({ account, imageId }: { account: string; imageId: number }) {
  const { t } = useTranslation('DataImages');
  return (
    <EventHistory
      query={coreApi.useCoreGetDataImageLogsQuery({ account, imageId })}
      empty={{ title: t('noEvents'), hint: t('noEventsHint') }}
    />
  );
}
