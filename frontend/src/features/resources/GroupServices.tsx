import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ServiceData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { StateWithStart } from '@/components/StateWithStart';
import { formatNumber } from '@/lib/format/number';
import { stateOf } from '@/lib/waiting';

const POLL_MS = 5000;
const STATES = ['RUNNING', 'STARTING', 'REMOVING', 'SLEEPING', 'INACTIVE'];
const OPTIONS = {
  filters: { state: STATES },
  sort: { fields: ['name', 'active', 'requested'], initial: { field: 'name', descending: false } },
};
const HOW = {
  text: ({ name }: ServiceData) => name,
  orders: {
    name: (one: ServiceData, other: ServiceData) => one.name.localeCompare(other.name),
    active: (one: ServiceData, other: ServiceData) => one.active - other.active,
    requested: (one: ServiceData, other: ServiceData) => one.requested - other.requested,
  },
};

interface Props {
  account: string;
  groupName: string;
}

/** The services of a group with their states, those of other accounts too. */
export function GroupServices(where: Props) {
  const { t } = useTranslation('Resources');
  const query = coreApi.useCoreGetResourceGroupAllServicesQuery(where, {
    pollingInterval: POLL_MS,
    skipPollingIfUnfocused: true,
  });
  const state = useListState(OPTIONS);
  const wanted = state.filters.state;
  const services = query.data?.services.filter((service) => wanted === null || service.state === wanted);
  const part = services && listPart(services, state, HOW);
  return (
    <List
      label={t('tab.services')}
      query={query}
      {...part}
      rows={part?.rows}
      state={state}
      search={t('Catalog:search')}
      filters={[
        {
          name: 'state',
          label: t('state'),
          unset: t('anyState'),
          options: STATES.map((value) => ({ value, label: t(`State:${value}`) })),
        },
      ]}
      columns={useColumns()}
      rowKey={({ id }) => `${id.accountId}/${id.modelId}`}
      rowName={({ name }) => name}
      to={({ id }) =>
        String(id.accountId) === where.account ? `/workspace/model/${id.accountId}/${id.modelId}` : null
      }
      expected={4}
      empty={{ title: t('noServices'), hint: t('noServicesHint') }}
    />
  );
}

function useColumns(): Column<ServiceData>[] {
  const { t } = useTranslation('Resources');
  return [
    { name: 'name', label: t('service'), sortable: true, cell: ({ name }) => name },
    {
      name: 'state',
      label: t('state'),
      width: 190,
      cell: (service) => <StateWithStart state={stateOf(service)} start={service.start} />,
    },
    {
      name: 'active',
      label: t('active'),
      width: 140,
      numeric: true,
      sortable: true,
      cell: ({ active }) => formatNumber(active),
    },
    {
      name: 'requested',
      label: t('requested'),
      width: 140,
      numeric: true,
      sortable: true,
      cell: ({ requested }) => formatNumber(requested),
    },
  ];
}
