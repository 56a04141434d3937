import { Group, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { DatasetInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { When } from '@/components/format/When';
import { formatBytes } from '@/lib/format/bytes';
import { useProblemTexts } from '@/lib/problems/texts';

import { DatasetForm } from './DatasetForm';

interface Props {
  account: string;
  dataset: DatasetInfoData;
}

/** What the dataset is, and what happened to it. */
export function DatasetAbout({ account, dataset }: Props) {
  const { t } = useTranslation('Datasets');
  return (
    <Stack gap="lg" maw={640}>
      <Text>
        {formatBytes(dataset.size)}
        {dataset.rows !== null && ` · ${t('total', { count: dataset.rows })}`}
      </Text>
      <DatasetForm key={dataset.updatedAt} account={account} dataset={dataset} onDone={() => undefined} />
      <History account={account} datasetId={dataset.id.datasetId} />
    </Stack>
  );
}

function History({ account, datasetId }: { account: string; datasetId: number }) {
  const { t } = useTranslation('Datasets');
  const texts = useProblemTexts();
  const { data, error, refetch } = coreApi.useCoreGetDatasetLogsQuery({ account, datasetId });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={60} />;
  return (
    <Stack gap="xs">
      <Title order={3}>{t('history')}</Title>
      {data.length === 0 && <Text c="dimmed">{t('noHistory')}</Text>}
      <List listStyleType="none">
        {data.map((entry) => (
          <List.Item key={entry.recordId}>
            <Group gap="xs">
              <Text c="dimmed" size="sm">
                <When at={entry.timestamp} />
              </Text>
              {texts.exists(`Problems:event.${entry.code}`)
                ? texts.t(`Problems:event.${entry.code}`, { name: String(entry.args.name) })
                : entry.message}
            </Group>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
