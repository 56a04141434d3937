import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { List } from '@/components/list/List';
import { asText, useListState } from '@/components/list/useListState';
import { useServiceFacts } from '@/features/service/serviceColumns';
import { PAGE_SIZE, SORT } from '@/features/service/serviceQuery';

/** The services of an account. Each opens its page for callers: its owner's pages belong to the members. */
export function Services({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const state = useListState({ sort: SORT });
  const query = coreApi.useCoreGetPagedModelsQuery({
    account,
    onlyMy: true,
    modelField: state.search || null,
    sort: asText(state.sort ?? SORT.initial),
    page: state.page - 1,
    size: PAGE_SIZE,
  });
  return (
    <List<ModelInfoData>
      label={t('tab.services')}
      query={query}
      rows={query.data?.records}
      pages={query.data?.paging.totalPages}
      total={query.data?.paging.totalElements}
      state={state}
      search={t('Catalog:search')}
      columns={useServiceFacts()}
      rowKey={({ id }) => String(id.modelId)}
      rowName={({ displayName, modelName }) => displayName ?? modelName}
      to={({ id, modelAccountName, modelName }) =>
        `/catalog/${encodeURIComponent(modelAccountName ?? id.accountId)}/${encodeURIComponent(modelName)}`
      }
      empty={{ title: t('noServices'), hint: t('noServicesHint') }}
    />
  );
}
