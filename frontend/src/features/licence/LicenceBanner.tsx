import { Alert, Anchor, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSettings } from '@/lib/session';

import { licenceBanner } from './licence';

const MINUTE_MS = 60_000;

/** Shown above the content of pages; nothing without a licence or a problem. */
export function LicenceBanner() {
  const { t } = useTranslation('Licence');
  const { data: settings } = useSettings();
  const [now, setNow] = useState(() => new Date());
  const licence = settings?.license ?? null;
  useInterval(() => setNow(new Date()), MINUTE_MS, { autoInvoke: licence !== null });
  const banner = licenceBanner(licence, now);
  if (!banner) return null;
  const left = banner.tone === 'warning' ? banner.left : null;
  return (
    <Alert
      color={banner.tone === 'danger' ? 'red' : 'yellow'}
      radius={0}
      py="xs"
      role={banner.tone === 'danger' ? 'alert' : 'status'}
    >
      <Group gap="xs" justify="center">
        <Text size="sm" fw={600}>
          {t(banner.kind)}
        </Text>
        {left && <Text size="sm">{t(`left.${left.unit}`, { count: left.count })}</Text>}
        {licence?.grafanaLicenseDashboardUrl && (
          <Anchor size="sm" c="inherit" href={licence.grafanaLicenseDashboardUrl} target="_blank" rel="noreferrer">
            {t('dashboard')}
          </Anchor>
        )}
      </Group>
    </Alert>
  );
}
