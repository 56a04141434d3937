import { Badge, Button, Group, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { DatasetInfoData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { DatasetAbout } from '@/features/datasets/DatasetAbout';
import { DatasetContent } from '@/features/datasets/DatasetContent';
import { Warnings } from '@/features/datasets/Warnings';
import { ObjectProblem } from '@/routes/ObjectProblem';

const TABS = ['about', 'edit'] as const;
const LIST = '/workspace/datasets';

/** One dataset. */
export function DatasetPage() {
  const { t } = useTranslation('Datasets');
  const { account = '', dataset: id = '', tab } = useParams();
  const { data, error, refetch } = coreApi.useCoreGetDatasetInfoQuery({ account, datasetId: Number(id) });
  const crumbs = [{ text: t('title'), to: LIST }];
  const problem = asProblem(error);
  if (problem && !data)
    return <ObjectProblem problem={problem} name={id} crumbs={crumbs} again={() => void refetch()} />;
  if (!data) {
    return (
      <Page title={id} crumbs={crumbs}>
        <Skeleton h={320} />
      </Page>
    );
  }
  return <Loaded dataset={data} tab={TABS.find((known) => known === tab) ?? 'about'} />;
}

function Loaded({ dataset, tab }: { dataset: DatasetInfoData; tab: (typeof TABS)[number] }) {
  const { t } = useTranslation('Datasets');
  const account = String(dataset.id.accountId);
  const base = `/workspace/dataset/${account}/${dataset.id.datasetId}`;
  return (
    <Page
      title={dataset.name}
      crumbs={[
        { text: t('title'), to: LIST },
        { text: dataset.name, to: base },
      ]}
      tab={t(`tab.${tab}`)}
      subtitle={
        <Group gap={6}>
          {dataset.dataType}
          <Badge variant="default">{t(`mode.${dataset.accessMode}`)}</Badge>
        </Group>
      }
      action={<DeleteDataset account={account} dataset={dataset} />}
    >
      <Warnings dataset={dataset} />
      <RoutedTabs
        label={dataset.name}
        current={tab}
        tabs={TABS.map((name) => ({ name, label: t(`tab.${name}`), to: name === 'about' ? base : `${base}/${name}` }))}
      >
        {tab === 'about' ? (
          <DatasetAbout account={account} dataset={dataset} />
        ) : (
          <DatasetContent account={account} dataset={dataset} />
        )}
      </RoutedTabs>
    </Page>
  );
}

function DeleteDataset({ account, dataset }: { account: string; dataset: DatasetInfoData }) {
  const { t } = useTranslation('Datasets');
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const [remove] = coreApi.useCoreDeleteDatasetMutation();
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsked(true)}>
        {t('App:delete')}
      </Button>
      <Deletion
        opened={asked}
        title={t('deleteTitle', { name: dataset.name })}
        account={account}
        remove={() => remove({ account, datasetId: dataset.id.datasetId })}
        onClose={() => setAsked(false)}
        onDeleted={() => void navigate(LIST, { replace: true })}
      >
        {t('deleteHint')}
      </Deletion>
    </>
  );
}
