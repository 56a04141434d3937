import { Stack } from '@mantine/core';

import type { ModelInfoData } from '@/api/generated/core.gen';
import type { Values } from '@/components/settings/fields';
import { SettingsForm } from '@/components/settings/SettingsForm';
import type { Save } from '@/components/settings/useSettings';
import { Environment } from '@/features/environment/Environment';
import { useSettings } from '@/lib/session';

import { CONFIGURATION } from './configurationSections';

interface Props {
  account: string;
  model: ModelInfoData;
  form: { source: Values; save: Save; readOnly: boolean; texts: string; saved: string };
}

/** What instances get, and how the platform calls them. */
export function Configuration({ account, model, form }: Props) {
  const archived = useSettings().data?.isArchiveEnabled ?? false;
  return (
    <Stack gap={32}>
      <Environment account={account} model={model} readOnly={form.readOnly} />
      <SettingsForm
        key={String(archived)}
        sections={CONFIGURATION.filter(({ title }) => archived || title !== 'archive')}
        {...form}
      />
    </Stack>
  );
}
