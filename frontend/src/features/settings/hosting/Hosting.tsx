import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { type Values, valueAt } from '@/components/settings/fields';
import { SettingsForm } from '@/components/settings/SettingsForm';
import type { Save } from '@/components/settings/useSettings';
import { MountEditor } from '@/features/mounts/MountEditor';
import { Left, type Need } from '@/features/room/Left';
import { RoomPanel } from '@/features/room/RoomPanel';

import { DryRun } from './DryRun';
import { HostingPlace } from './HostingPlace';
import { limitsOf } from './room';
import { ScheduleZone } from './ScheduleZone';
import { configurationOf, PATCH, RESOURCES, SCHEDULED, sectionsOf } from './sections';
import { useHostingPlace } from './useHostingPlace';

/** What a field of the needs asks of a server. */
const NEEDS_OF: readonly [string, Need][] = [
  ['resourceLimits.cpuRequest', 'cpu'],
  ['resourceLimits.memoryLimit', 'memory'],
  ['resourceLimits.ephemeralDiskLimit', 'disk'],
  ['resourceLimits.gpuCount', 'gpu'],
  ['resourceLimits.gpuMemoryLimitMb', 'vram'],
];

interface Props {
  account: string;
  model: ModelInfoData;
  form: { source: Values; save: Save; readOnly: boolean; texts: string; saved: string };
}

/** Where instances run, what each needs and may use, and what the group has left for it. */
export function Hosting({ account, model, form }: Props) {
  const { t } = useTranslation('Settings');
  const chosen = useHostingPlace(account, model);
  const { hosting, group } = chosen.place;
  const startTimeoutSec = model.timeouts.podStartTimeoutSec;
  const image = { image: model.image?.image, mountsDataImages: model.dataImageMounts.length > 0 };
  const asked = (edited: Values) => ({ account, group, limits: limitsOf(edited), startTimeoutSec, ...image });
  const room = (edited: Values) => <RoomPanel withoutAmounts {...asked(edited)} />;
  const left = Object.fromEntries(
    NEEDS_OF.map(([path, need]) => [path, (edited: Values) => <Left need={need} {...asked(edited)} />]),
  );
  const schedule = (edited: Values) => (
    <>
      {valueAt(edited, 'autoScalingConfiguration.enabled') === true && <ScheduleZone account={account} />}
      <DryRun account={account} model={model.modelName} configuration={configurationOf(edited, form.source)} />
    </>
  );
  return (
    <Stack gap={32}>
      {model.prototype && <Text c="dimmed">{t('prototypeHosting')}</Text>}
      <HostingPlace account={account} prototype={model.prototype} readOnly={form.readOnly} chosen={chosen} />
      <SettingsForm
        sections={sectionsOf(hosting)}
        below={{ [RESOURCES]: room, [SCHEDULED]: schedule }}
        beside={left}
        {...form}
      />
      {hosting !== 'EXTERNAL' && (
        <>
          <MountEditor account={account} model={model} readOnly={form.readOnly} />
          <SettingsForm sections={PATCH} {...form} />
        </>
      )}
    </Stack>
  );
}
