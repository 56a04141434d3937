import { Anchor, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { Link } from '@/components/Link';

/** By which clock the periods hold. */
export function ScheduleZone({ account }: { account: string }) {
  const { t } = useTranslation('Settings');
  const { data } = coreApi.useCoreEnsureAccountWithIdQuery({ account });
  return (
    <Text size="sm" c="dimmed" mih={22}>
      {data && t('zone', { zone: data.timeZone })}{' '}
      <Anchor component={Link} to="/workspace/account-info" size="sm">
        {t('changeZone')}
      </Anchor>
    </Text>
  );
}
