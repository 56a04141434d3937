import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { List } from '@/components/list/List';
import { useKeyTable } from '@/features/keys/useKeyTable';

/** The keys of an account, with what each may do. Their secrets are not shown; only the account's members change keys. */
export function Keys({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const query = coreApi.useCoreListAccessTokensQuery({ account });
  const [now] = useState(() => Date.now());
  const { part, ...table } = useKeyTable(account, query.data, now);
  return (
    <List
      label={t('tab.keys')}
      query={query}
      {...part}
      rows={part?.rows}
      {...table}
      empty={{ title: t('noKeys'), hint: t('noKeysHint') }}
    />
  );
}
