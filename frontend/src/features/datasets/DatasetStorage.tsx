import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { formatBytes } from '@/lib/format/bytes';

/** How much the account's datasets take of its storage; the purpose of the page until that is known. */
export function DatasetStorage({ account }: { account: string }) {
  const { t } = useTranslation('Datasets');
  const { data } = coreApi.useCoreGetDatasetStorageQuery({ account });
  if (!data) return t('subtitle');
  return t('storage', { used: formatBytes(data.usedBytes), limit: formatBytes(data.limitBytes) });
}
