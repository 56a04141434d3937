import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem } from '@/api';
import type { AccountDetails } from '@/api/generated/accounts.gen';
import { Copy } from '@/components/code/Copy';
import { ProblemView } from '@/components/feedback/ProblemView';
import { MissingRole } from '@/components/MissingRight';
import type { SectionSpec } from '@/components/settings/fields';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { SettingsSkeleton } from '@/components/settings/SettingsSkeleton';
import { useMember } from '@/lib/session';

export function Details() {
  const { account, user } = useMember();
  const { data, error, refetch } = accountsApi.useAccountsGetAccountQuery({ account });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) {
    return (
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Fact name="id" />
          <Fact name="shortName" />
        </SimpleGrid>
        <SettingsSkeleton sections={SECTIONS} />
      </Stack>
    );
  }
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Fact name="id" value={String(data.accountId)} />
        <Fact name="shortName" value={data.shortName} />
      </SimpleGrid>
      <DetailsForm details={data} owner={user.accountOwner} />
    </Stack>
  );
}

function Fact({ name, value }: { name: string; value?: string }) {
  const { t } = useTranslation('Account');
  return (
    <div>
      <Text size="sm" fw={500}>
        {t(name)}
      </Text>
      <Group gap={4} mih={28}>
        {value === undefined ? (
          <Skeleton h={16} w={120} />
        ) : (
          <>
            <Text ff="monospace">{value}</Text>
            <Copy value={value} />
          </>
        )}
      </Group>
    </div>
  );
}

const SECTIONS: SectionSpec[] = [
  {
    fields: [
      { path: 'displayName', kind: 'text', required: true, maxLength: 128 },
      { path: 'email', kind: 'text', required: true, inputType: 'email', maxLength: 254 },
      { path: 'language', kind: 'select', options: ['RU', 'EN'] },
    ],
  },
];

function DetailsForm({ details, owner }: { details: AccountDetails; owner: boolean }) {
  const { t } = useTranslation('Account');
  const [update] = accountsApi.useAccountsUpdateAccountMutation();
  const { displayName, email, language } = details;
  const stored = { displayName, email, language };
  return (
    <>
      {!owner && <MissingRole needed="owner" />}
      <SettingsForm
        sections={SECTIONS}
        source={stored}
        texts="Account"
        saved={t('saved')}
        readOnly={!owner}
        save={(changed) => update({ account: String(details.accountId), accountInput: { ...stored, ...changed } })}
      />
    </>
  );
}
