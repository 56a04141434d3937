import { Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { AccountLimitsData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import type { FieldSpec, SectionSpec } from '@/components/settings/fields';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { SettingsSkeleton } from '@/components/settings/SettingsSkeleton';
import { LimitUse, useLimitUse } from '@/features/account/LimitUse';

import { MOST_REASON } from './reason';

const count = (path: string): FieldSpec => ({ path, kind: 'number', min: 0, label: `Account:limit.${path}` });
const quantity = (path: string): FieldSpec => ({
  path,
  kind: 'text',
  narrow: true,
  required: true,
  label: `Account:limit.${path}`,
});

const SECTIONS: SectionSpec[] = [
  {
    fields: [
      count('baseModelInstanceLimit'),
      count('derivedModelInstanceLimit'),
      count('gpuModelInstanceLimit'),
      count('predictPerSec'),
      count('fitPerMinute'),
      quantity('cpuLimit'),
      quantity('memoryLimit'),
      quantity('ephemeralDiskLimit'),
      quantity('storageLimit'),
      { path: 'reason', kind: 'text', label: 'reason', required: true, maxLength: MOST_REASON, explains: true },
    ],
  },
];

export function LimitsForm({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  useTranslation('Account');
  const { data, error, refetch } = coreApi.useCoreGetAccountQuery({ account });
  const use = useLimitUse(account);
  const problem = asProblem(error);
  return (
    <Stack gap="sm">
      <Title order={2} size="h3">
        {t('limits')}
      </Title>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <SettingsSkeleton sections={SECTIONS} />}
      <LimitUse use={use} />
      {data && <Fields account={account} limits={data.limits} />}
    </Stack>
  );
}

function Fields({ account, limits }: { account: string; limits: AccountLimitsData }) {
  const { t } = useTranslation('Admin');
  const [update] = coreApi.useCoreUpdateLimitsMutation();
  return (
    <SettingsForm
      sections={SECTIONS}
      source={{ ...limits }}
      texts="Admin"
      saved={t('saved')}
      save={(changed) => update({ account, accountLimitsUpdate: { ...limits, ...changed } })}
    />
  );
}
