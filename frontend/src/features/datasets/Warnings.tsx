import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { DatasetInfoData } from '@/api/generated/core.gen';

interface Props {
  dataset: Pick<DatasetInfoData, 'warning' | 'warnings'>;
}

/** What looks wrong in a content. A content that was checked before there were codes has only an English text. */
export function Warnings({ dataset: { warning, warnings } }: Props) {
  const { t, i18n } = useTranslation('Datasets');
  if (!warning) return null;
  const known = warnings.length > 0 && warnings.every(({ code }) => i18n.exists(`Datasets:finding.${code}`));
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t('warning')}>
      {known ? (
        <List size="sm">
          {warnings.map(({ code, args }) => (
            <List.Item key={code}>{t(`finding.${code}`, args)}</List.Item>
          ))}
        </List>
      ) : (
        warning
      )}
    </Alert>
  );
}
