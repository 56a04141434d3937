import { Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { coreApi } from '@/api';
import { RoutedTabs } from '@/components/RoutedTabs';

import { ChoiceSelect } from '../ChoiceSelect';
import { PeriodSelect, usePeriod } from '../PeriodSelect';

import { Changes } from './Changes';
import { GroupCharts } from './GroupCharts';
import { GroupEvents } from './GroupEvents';

const VIEWS = ['general', 'events', 'changes'] as const;

interface Props {
  account: string;
  groupName: string;
  /** Part of the address. */
  view: string | undefined;
  /** The address without it. */
  base: string;
}

/** What the servers of a group have and use, and what happened there, over a period. */
export default function GroupMonitoring({ account, groupName, view, base }: Props) {
  const { t } = useTranslation('Monitoring');
  const [search] = useSearchParams();
  const { data: capacity } = coreApi.useCoreGetResourceGroupCapacityQuery({ account, groupName });
  const current = VIEWS.find((known) => known === view) ?? 'general';
  const node = search.get('node') || null;
  const where = { account, groupName };
  // Another period or server begins with its first page.
  const key = `${usePeriod().minutes} ${node ?? ''}`;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        {/* Entries about the group itself belong to no server. */}
        {current === 'events' ? (
          <span />
        ) : (
          <ChoiceSelect
            name="node"
            label={t('node')}
            all={t('allNodes')}
            options={(capacity?.servers ?? []).map(({ name }) => ({ value: name, label: name }))}
          />
        )}
        <PeriodSelect />
      </Group>
      <RoutedTabs
        label={t('views')}
        current={current}
        tabs={VIEWS.map((name) => ({
          name,
          label: t(`view.${name}`),
          to: { pathname: name === 'general' ? base : `${base}/${name}`, search: search.toString() },
        }))}
      >
        {current === 'general' && <GroupCharts {...where} node={node} />}
        {current === 'events' && <GroupEvents key={key} {...where} />}
        {current === 'changes' && <Changes key={key} {...where} node={node} />}
      </RoutedTabs>
    </Stack>
  );
}
