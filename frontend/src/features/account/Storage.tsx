import { Alert, Button, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, gatewayApi } from '@/api';
import type { StorageData, StorageSettingData } from '@/api/generated/gateway.gen';
import { Confirm } from '@/components/Confirm';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import type { FieldSpec } from '@/components/settings/fields';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { formatBytes } from '@/lib/format/bytes';
import { useMember } from '@/lib/session';

const HOURS = ['predictionHours', 'answerHours', 'archiveHours'] as const;
const MOST_HOURS = 87_600;
const NEARLY = 0.9;

/** The account's use of storage, its limit and its retention times. */
export function Storage() {
  const { t } = useTranslation('Storage');
  const { account, user } = useMember();
  const { data, error, refetch } = gatewayApi.useGatewayGetStorageQuery({ account });
  const problem = asProblem(error);
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('title')}</Title>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={180} />}
      {data && <Use data={data} />}
      {data && user.accountOwner && <Hours data={data} account={account} />}
    </Stack>
  );
}

function Use({ data }: { data: StorageData }) {
  const { t, i18n } = useTranslation('Storage');
  const { limitBytes, usedBytes, kinds } = data;
  const part = limitBytes > 0 ? usedBytes / limitBytes : 1;
  const size = (bytes: number) => formatBytes(bytes, i18n.language);
  return (
    <>
      <Text>{t('used', { used: size(usedBytes), limit: size(limitBytes) })}</Text>
      <Progress value={Math.min(part, 1) * 100} color={part < NEARLY ? 'blue' : 'red'} aria-label={t('bar')} />
      {part >= 1 && <Alert color="red">{t('full')}</Alert>}
      <SimpleGrid cols={{ base: 1, xs: 3 }} component="dl" m={0}>
        {kinds.map(({ kind, bytes, items }) => (
          <div key={kind}>
            <Text size="sm" c="dimmed" component="dt">
              {t(`kind.${kind}`)}
            </Text>
            <Text ff="monospace" component="dd" m={0}>
              {size(bytes)} · {t('items', { count: items })}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </>
  );
}

function Hours({ data, account }: { data: StorageData; account: string }) {
  const { t } = useTranslation('Storage');
  const [change] = gatewayApi.useGatewaySetStorageHoursMutation();
  const { predictionHours, answerHours, archiveHours } = data.setting;
  const stored: StorageSettingData = { predictionHours, answerHours, archiveHours };
  const now = (name: (typeof HOURS)[number]) => {
    const kept = data.kept[name];
    return kept === null ? t('untilNewer') : t('hoursOf', { hours: kept });
  };
  const fields = HOURS.map((path): FieldSpec => ({
    path,
    kind: 'number',
    min: 1,
    max: MOST_HOURS,
    optional: true,
    unit: 'hours',
    placeholder: now(path),
  }));
  return (
    <section aria-label={t('hours')}>
      <Text fw={500}>{t('hours')}</Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t('hoursHint')}
      </Text>
      <SettingsForm
        sections={[{ fields }]}
        source={{ ...stored }}
        texts="Storage"
        saved={t('saved')}
        save={(changed) => change({ account, storageSettingData: { ...stored, ...changed } })}
      />
      <Group mt="sm">
        <DeletePredictions account={account} />
      </Group>
    </section>
  );
}

function DeletePredictions({ account }: { account: string }) {
  const { t } = useTranslation('Storage');
  const toast = useProblemToast();
  const [remove] = gatewayApi.useGatewayDeletePredictionsMutation();
  const [asking, setAsking] = useState(false);
  const confirm = async () => {
    const { data, error } = await remove({ account });
    setAsking(false);
    if (!toast(t('deletePredictions'), error) && data) toastDone(t('deleted', { count: data.deleted }));
  };
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('deletePredictions')}
      </Button>
      <Confirm
        opened={asking}
        title={t('deleteTitle')}
        action={t('deletePredictions')}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      >
        {t('deleteHint')}
      </Confirm>
    </>
  );
}
