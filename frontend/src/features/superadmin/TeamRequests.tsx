import { Skeleton, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';
import { formatMoment } from '@/lib/format/time';

const SIZE = 20;

/** Requests of people and visitors to the team. */
export function TeamRequests() {
  const { t } = useTranslation('Admin');
  const [page, setPage] = useState(1);
  const { data, error, refetch } = coreApi.useCoreGetTeamRequestsQuery({ page: page - 1, size: SIZE });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={240} />;
  if (data.records.length === 0) return <Empty title={t('noRequests')}>{t('noRequestsHint')}</Empty>;
  return (
    <Stack>
      <Table.ScrollContainer minWidth={720}>
        <Table verticalSpacing="sm">
          <Table.Tbody>
            {data.records.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>{formatMoment(one.createdAt)}</Table.Td>
                <Table.Td ff="monospace">{one.kind}</Table.Td>
                <Table.Td>
                  {one.contacts}
                  {one.login && (
                    <Text size="sm" c="dimmed">
                      {one.login} {one.accountId}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td maw={360} style={{ overflowWrap: 'anywhere' }}>
                  {one.comment}
                </Table.Td>
                <Table.Td>{t(`mail.${one.mailState}`)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager page={page} pages={data.paging.totalPages} onPage={setPage} />
    </Stack>
  );
}
