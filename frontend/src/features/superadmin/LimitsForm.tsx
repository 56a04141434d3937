import { Button, SimpleGrid, Skeleton, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { AccountLimitsData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

const COUNTS = ['baseModelInstanceLimit', 'derivedModelInstanceLimit', 'gpuModelInstanceLimit', 'predictPerSec', 'fitPerMinute'] as const;
const QUANTITIES = ['cpuLimit', 'memoryLimit', 'ephemeralDiskLimit', 'storageLimit'] as const;
const NAMES = [...COUNTS, ...QUANTITIES];

export function LimitsForm({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const { data, error } = coreApi.useCoreGetAccountQuery({ account });
  const problem = asProblem(error);
  return (
    <Stack gap="sm">
      <Title order={3}>{t('limits')}</Title>
      {problem && !data && <ProblemView problem={problem} />}
      {!data && !problem && <Skeleton h={260} />}
      {data && <Fields account={account} limits={data.limits} />}
    </Stack>
  );
}

function Fields({ account, limits }: { account: string; limits: AccountLimitsData }) {
  const { t } = useTranslation('Admin');
  const [update, { isLoading }] = coreApi.useCoreUpdateLimitsMutation();
  const form = useForm({
    initialValues: Object.fromEntries(NAMES.map((name) => [name, String(limits[name] ?? '')])),
    validate: Object.fromEntries(COUNTS.map((name) => [name, (value: string) => (/^\d+$/.test(value) ? null : t('wholeNumber'))])),
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const counts = Object.fromEntries(COUNTS.map((name) => [name, Number(values[name])]));
    const { error } = await update({ account, accountLimitsData: { ...limits, ...values, ...counts } });
    if (refusal.show(error)) return;
    form.resetDirty();
    toastDone(t('saved'));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormBanner refusal={refusal} />
        <SimpleGrid cols={2} spacing="sm">
          {NAMES.map((name) => (
            <TextInput key={name} label={t(`Account:limit.${name}`)} {...form.getInputProps(name)} />
          ))}
        </SimpleGrid>
        <Button type="submit" variant="default" w="fit-content" loading={isLoading} disabled={!form.isDirty()}>
          {t('save')}
        </Button>
      </Stack>
    </form>
  );
}
