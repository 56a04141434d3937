import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { Link } from '@/components/Link';
import { ListPage } from '@/components/list/ListPage';
import type { Filter } from '@/components/list/Toolbar';
import { asText, useListState } from '@/components/list/useListState';
import { whileSomeStart } from '@/lib/polls';
import { useTaskNames } from '@/lib/useTaskNames';

import { useServiceColumns } from './serviceColumns';
import { FILTERS, NO_GROUP, PAGE_SIZE, queryOf, type ServiceFilter, SORT } from './serviceQuery';

/** All services of the account, to be found among thousands. */
export function ServiceList({ account }: { account: string }) {
  const { t } = useTranslation('Services');
  const state = useListState({ filters: FILTERS, sort: SORT });
  const asked = {
    account,
    ...queryOf(state.filters),
    modelField: state.search || null,
    sort: asText(state.sort ?? SORT.initial),
    page: state.page - 1,
    size: PAGE_SIZE,
  };
  const query = coreApi.useCoreGetPagedModelsQuery(asked);
  coreApi.useCoreGetPagedModelsQuery(asked, whileSomeStart(query.currentData?.records));
  return (
    <ListPage
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button component={Link} to="/workspace/create-service" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('Workspace:create')}
        </Button>
      }
      query={query}
      rows={query.data?.records}
      pages={query.data?.paging.totalPages}
      total={query.data?.paging.totalElements}
      state={state}
      search={t('Catalog:search')}
      filters={useServiceFilters(account)}
      columns={useServiceColumns(account)}
      rowKey={({ id }) => `${id.accountId}/${id.modelId}`}
      rowName={({ displayName, modelName }) => displayName ?? modelName}
      to={({ id }) => `/workspace/model/${id.accountId}/${id.modelId}`}
      expected={12}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button component={Link} to="/workspace/create-service" variant="light">
            {t('first')}
          </Button>
        ),
      }}
    />
  );
}

function useServiceFilters(account: string): Filter<ServiceFilter>[] {
  const { t } = useTranslation('Services');
  const names = useTaskNames();
  const { data: types = [] } = coreApi.useCoreGetTaskTypesQuery();
  const { data: groups = [] } = coreApi.useCoreGetGroupsQuery({ account });
  return [
    {
      name: 'ownership',
      label: t('ownership'),
      unset: t('ownerships.mine'),
      options: FILTERS.ownership.map((value) => ({ value, label: t(`ownerships.${value}`) })),
    },
    {
      name: 'TaskType',
      label: t('taskType'),
      searchable: true,
      options: types.map(({ name }) => ({ value: name, label: names(name) })),
    },
    {
      name: 'group',
      label: t('group'),
      searchable: true,
      options: [
        { value: NO_GROUP, label: t('noGroup') },
        ...groups.flatMap(({ id, name }) => (id ? [{ value: String(id.groupId), label: name }] : [])),
      ],
    },
    {
      name: 'publicity',
      label: t('publicity'),
      options: FILTERS.publicity.map((value) => ({ value, label: t(value) })),
    },
  ];
}
