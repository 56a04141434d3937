import { Alert, Button, Group, NumberInput, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, gatewayApi } from '@/api';
import type { StorageData, StorageSettingData } from '@/api/generated/gateway.gen';
import { Confirm } from '@/components/Confirm';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useProblemToast } from '@/components/feedback/useProblemToast';
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
    <Stack gap="sm" component="section" maw={760}>
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

/** An empty form field is an empty string. */
type Written = Record<(typeof HOURS)[number], number | ''>;

const written = (setting: StorageSettingData): Written => ({
  predictionHours: setting.predictionHours ?? '', answerHours: setting.answerHours ?? '', archiveHours: setting.archiveHours ?? '',
});
const meant = (hours: number | ''): number | null => (hours === '' ? null : hours);

function Hours({ data, account }: { data: StorageData; account: string }) {
  const { t } = useTranslation('Storage');
  const [change, { isLoading }] = gatewayApi.useGatewaySetStorageHoursMutation();
  const form = useForm<Written>({ initialValues: written(data.setting) });
  const refusal = useFormRefusal(form);
  const { setValues, resetDirty } = form;
  useEffect(() => {
    const values = written(data.setting);
    setValues(values);
    resetDirty(values);
  }, [data.setting, setValues, resetDirty]);
  const submit = form.onSubmit(async ({ predictionHours, answerHours, archiveHours }) => {
    refusal.clear();
    const storageSettingData = { predictionHours: meant(predictionHours), answerHours: meant(answerHours), archiveHours: meant(archiveHours) };
    const { error } = await change({ account, storageSettingData });
    if (!refusal.show(error)) toastDone(t('saved'));
  });
  const now = (name: (typeof HOURS)[number]) => {
    const kept = data.kept[name];
    return kept === null ? t('untilNewer') : t('hoursOf', { hours: kept });
  };
  return (
    <form onSubmit={submit} noValidate aria-label={t('hours')}>
      <Stack gap="sm">
        <FormBanner refusal={refusal} />
        <Text size="sm" fw={500}>
          {t('hours')}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {HOURS.map((name) => (
            <NumberInput key={name} label={t(name)} placeholder={now(name)} min={1} max={MOST_HOURS} allowDecimal={false} {...form.getInputProps(name)} />
          ))}
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          {t('hoursHint')}
        </Text>
        <Group>
          <Button type="submit" loading={isLoading} disabled={!form.isDirty()}>
            {t('save')}
          </Button>
          <DeletePredictions account={account} />
        </Group>
      </Stack>
    </form>
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
      <Confirm opened={asking} title={t('deleteTitle')} action={t('deletePredictions')} onClose={() => setAsking(false)} onConfirm={confirm}>
        {t('deleteHint')}
      </Confirm>
    </>
  );
}
