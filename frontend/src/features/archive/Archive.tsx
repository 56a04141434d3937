import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { gatewayApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import type { ArchivedRequestData } from '@/api/generated/gateway.gen';
import { Duration } from '@/components/format/Duration';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';
import { formatBytes } from '@/lib/format/bytes';
import { useSettings } from '@/lib/session';

import { RecordModal } from './RecordModal';

const POLL_MS = 10_000;
const ON_A_PAGE = 20;

interface Props {
  account: string;
  model: ModelInfoData;
}

/** The recent requests of a service, for its owner; nothing if the installation has no archive. */
export function Archive({ account, model }: Props) {
  const { data: settings } = useSettings();
  return settings?.isArchiveEnabled ? <Kept account={account} model={model} /> : null;
}

function Kept({ account, model }: Props) {
  const { t } = useTranslation('Archive');
  const state = useListState();
  const where = { account, model: model.modelName };
  const query = gatewayApi.useGatewayListArchivedRequestsQuery(
    { ...where, page: state.page - 1, size: ON_A_PAGE },
    { pollingInterval: POLL_MS, skipPollingIfUnfocused: true },
  );
  const [shown, setShown] = useState<ArchivedRequestData | null>(null);
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('title')}</Title>
      <List
        label={t('title')}
        query={query}
        rows={query.data?.records}
        state={state}
        page={state.page}
        pages={query.data?.paging.totalPages ?? 1}
        total={query.data?.paging.totalElements ?? 0}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ requestId, id }) => t('request', { id: requestId ?? id })}
        onOpen={setShown}
        expected={5}
        empty={{ title: t('none'), hint: t(model.archiveSettings.enabled ? 'noneYet' : 'off') }}
      />
      {shown && <RecordModal {...where} record={shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}

function useColumns(): Column<ArchivedRequestData>[] {
  const { t } = useTranslation('Archive');
  return [
    {
      name: 'when',
      label: t('when'),
      cell: ({ at, keyId }) => (
        <Group gap={6} wrap="nowrap" component="span">
          <When at={at} />
          {keyId && <IconLock size={14} aria-label={t('encrypted')} />}
        </Group>
      ),
    },
    { name: 'status', label: t('status'), cell: (record) => <Outcome record={record} /> },
    {
      name: 'caller',
      label: t('caller'),
      cell: ({ callerAccountId }) => (
        <Text span inherit ff="monospace">
          {callerAccountId}
        </Text>
      ),
    },
    {
      name: 'took',
      label: t('took'),
      numeric: true,
      cell: ({ durationMs }) => <Duration seconds={durationMs / 1000} />,
    },
    {
      name: 'size',
      label: t('size'),
      numeric: true,
      from: 'md',
      cell: ({ requestBytes, answerBytes }) => `${formatBytes(requestBytes)} / ${formatBytes(answerBytes)}`,
    },
  ];
}

function Outcome({ record }: { record: ArchivedRequestData }) {
  const { t } = useTranslation('Archive');
  const good = record.status < 400;
  return (
    <Group gap="2px 6px">
      <Badge variant="light" color={good ? 'green' : 'red'} miw="max-content">
        {record.status}
      </Badge>
      {record.cached && <Text size="xs">{t('cached')}</Text>}
      {record.errorCode && (
        <Text size="xs" c="dimmed" ff="monospace">
          {record.errorCode}
        </Text>
      )}
    </Group>
  );
}
