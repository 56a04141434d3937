import { Alert, Anchor, Button, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, gatewayApi } from '@/api';
import type { StorageData, StorageSettingData } from '@/api/generated/gateway.gen';
import { Confirm } from '@/components/Confirm';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { Link } from '@/components/Link';
import { Reserved } from '@/components/Reserved';
import type { FieldSpec } from '@/components/settings/fields';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { formatBytes } from '@/lib/format/bytes';
import { useMember } from '@/lib/session';

const HOURS = ['predictionHours', 'answerHours', 'archiveHours'] as const;
const MOST_HOURS = 87_600;
const NEARLY = 0.9;
const HOURS_HEIGHT = 320;
/** Pages on which files are seen and deleted. */
const PLACES = ['s3-bucket', 'datasets'] as const;

/** Amounts with texts of the usual length. */
const USUAL: Pick<StorageData, 'limitBytes' | 'usedBytes' | 'kinds'> = {
  limitBytes: 100 * 2 ** 30,
  usedBytes: 20 * 2 ** 30,
  kinds: (['predictions', 'answers', 'archive'] as const).map((kind) => ({ kind, bytes: 5 * 2 ** 30, items: 100 })),
};

/** The account's use of storage, its limits and its retention times. `children`: what its bucket and its datasets take. */
export function Storage({ children }: { children: ReactNode }) {
  const { t } = useTranslation('Storage');
  const { account, user } = useMember();
  const { data, error, refetch } = gatewayApi.useGatewayGetStorageQuery({ account });
  const problem = asProblem(error);
  return (
    <Stack gap="lg" component="section">
      <div>
        <Title order={2}>{t('title')}</Title>
        <Text c="dimmed">{t('limits')}</Text>
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Files>{children}</Files>
        <Stack gap="sm" component="section" aria-label={t('results')}>
          <Title order={3}>{t('results')}</Title>
          {data ? (
            <Use data={data} />
          ) : (
            <Reserved usual={<Use data={USUAL} />}>
              {problem ? <ProblemView problem={problem} again={() => void refetch()} /> : <Skeleton h="100%" />}
            </Reserved>
          )}
        </Stack>
      </SimpleGrid>
      {user.accountOwner && data && <Hours data={data} account={account} />}
      {user.accountOwner && !data && !problem && <Skeleton h={HOURS_HEIGHT} />}
    </Stack>
  );
}

function Files({ children }: { children: ReactNode }) {
  const { t } = useTranslation('Storage');
  return (
    <Stack gap="sm" component="section" aria-label={t('files')}>
      <Title order={3}>{t('files')}</Title>
      {children}
      <Group gap="md">
        {PLACES.map((place) => (
          <Anchor key={place} component={Link} size="sm" to={`/workspace/${place}`}>
            {t(`Workspace:place.${place}`)}
          </Anchor>
        ))}
      </Group>
    </Stack>
  );
}

function Use({ data }: { data: typeof USUAL }) {
  const { t, i18n } = useTranslation('Storage');
  const { limitBytes, usedBytes, kinds } = data;
  const part = limitBytes > 0 ? usedBytes / limitBytes : 1;
  const size = (bytes: number) => formatBytes(bytes, i18n.language);
  return (
    <Stack gap="sm">
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
    </Stack>
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
