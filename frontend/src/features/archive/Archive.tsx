import { Badge, Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, gatewayApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import type { ArchivedRequestData } from '@/api/generated/gateway.gen';
import { Empty } from '@/components/Empty';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useSettings } from '@/lib/session';
import { formatMoment, fromNow } from '@/lib/format/time';

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
  const [page, setPage] = useState(1);
  const where = { account, model: model.modelName };
  const { data, currentData, error, refetch } = gatewayApi.useGatewayListArchivedRequestsQuery({ ...where, page: page - 1, size: ON_A_PAGE }, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  const [shown, setShown] = useState<ArchivedRequestData | null>(null);
  const problem = asProblem(error);
  return (
    <Stack gap="sm" component="section" mt="xl">
      <Title order={2}>{t('title')}</Title>
      {problem && !currentData && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !currentData && <Skeleton h={160} />}
      {currentData?.records.length === 0 && <Empty title={t('none')}>{t(model.archiveSettings.enabled ? 'noneYet' : 'off')}</Empty>}
      {currentData && currentData.records.length > 0 && <Records records={currentData.records} open={setShown} />}
      <Pager page={page} pages={data?.paging.totalPages ?? 0} onPage={setPage} />
      {shown && <RecordModal {...where} record={shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}

function Records({ records, open }: { records: readonly ArchivedRequestData[]; open: (record: ArchivedRequestData) => void }) {
  const { t, i18n } = useTranslation('Archive');
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('when')}</Table.Th>
            <Table.Th>{t('status')}</Table.Th>
            <Table.Th>{t('caller')}</Table.Th>
            <Table.Th>{t('took')}</Table.Th>
            <Table.Th>{t('size')}</Table.Th>
            <Table.Th aria-label={t('open')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.map((record) => (
            <Table.Tr key={record.id}>
              <Table.Td title={formatMoment(Date.parse(record.at))}>{fromNow(Date.parse(record.at), i18n.language)}</Table.Td>
              <Table.Td>
                <Outcome record={record} />
              </Table.Td>
              <Table.Td ff="monospace">{record.callerAccountId}</Table.Td>
              <Table.Td>{t('ms', { ms: record.durationMs })}</Table.Td>
              <Table.Td>{t('bytes', { request: record.requestBytes, answer: record.answerBytes })}</Table.Td>
              <Table.Td>
                <Button size="compact-sm" variant="subtle" leftSection={record.keyId ? <IconLock size={14} aria-label={t('encrypted')} /> : undefined} onClick={() => open(record)}>
                  {t('open')}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Outcome({ record }: { record: ArchivedRequestData }) {
  const { t } = useTranslation('Archive');
  const good = record.status < 400;
  return (
    <Group gap={6} wrap="nowrap">
      <Badge variant="light" color={good ? 'green' : 'red'} tt="none">
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
