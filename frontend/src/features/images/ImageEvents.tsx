import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { EventHistory } from '@/components/events/EventHistory';

/** What happened to an image, restarts of its services included. */
export function ImageEvents({ account, imageId }: { account: string; imageId: number }) {
  const { t } = useTranslation('Images');
  return (
    <EventHistory
      query={coreApi.useCoreGetImageLogsQuery({ account, imageId })}
      empty={{ title: t('noEvents'), hint: t('noEventsHint') }}
    />
  );
}
