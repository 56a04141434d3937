import { Box, NavLink, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { MissingRole } from '@/components/MissingRight';
import { SaveScope } from '@/components/settings/SaveScope';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { SettingsSkeleton } from '@/components/settings/SettingsSkeleton';
import { mayDevelop } from '@/lib/rights';
import { useSession, useSettings } from '@/lib/session';

import { HostingPlace } from './HostingPlace';
import { ACCESS, BILLING, CONFIGURATION, HOSTING, MAIN, PATCH } from './sections';
import classes from './Settings.module.css';

// What only one section shows is loaded with that section.
const Documentation = lazy(async () => ({ default: (await import('./Documentation')).Documentation }));
const Environment = lazy(async () => ({ default: (await import('@/features/environment/Environment')).Environment }));
const MountEditor = lazy(async () => ({ default: (await import('@/features/mounts/MountEditor')).MountEditor }));
const PredictConfigs = lazy(async () => ({ default: (await import('./PredictConfigs')).PredictConfigs }));

export const SETTINGS_TABS = ['main', 'access', 'billing', 'configuration', 'hosting', 'documentation', 'predict-config'] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];

const SKELETONS: Partial<Record<SettingsTab, typeof MAIN>> = { configuration: CONFIGURATION, hosting: HOSTING };

interface Props {
  account: string;
  model: ModelInfoData;
  tab: SettingsTab;
  /** Address of the settings, without a tab. */
  base: string;
}

/** All settings of a service. */
export function Settings({ account, model, tab, base }: Props) {
  const { t } = useTranslation('Settings');
  const session = useSession();
  const locked = session.state === 'signed-in' && !mayDevelop(session);
  return (
    <Box className={classes.settings ?? ''}>
      <Box component="nav" aria-label={t('sections')} className={classes.nav ?? ''}>
        {SETTINGS_TABS.map((name) => (
          <NavLink key={name} component={Link} to={`${base}/${name}`} label={t(`tab.${name}`)} active={name === tab} aria-current={name === tab ? 'page' : undefined} />
        ))}
      </Box>
      <Stack flex={1} miw={0}>
        <SaveScope key={tab}>
          {locked && <MissingRole needed="developer" />}
          <Suspense fallback={<SettingsSkeleton sections={SKELETONS[tab] ?? MAIN} />}>
            <Chosen account={account} model={model} tab={tab} readOnly={locked} />
          </Suspense>
        </SaveScope>
      </Stack>
    </Box>
  );
}

function Chosen({ account, model, tab, readOnly }: Omit<Props, 'base'> & { readOnly: boolean }) {
  const { t } = useTranslation('Settings');
  const [update] = coreApi.useCoreUpdateModelMutation();
  const archived = useSettings().data?.isArchiveEnabled ?? false;
  const where = { account, model: model.modelName };
  const save = (changed: object) => update({ ...where, modelCreateUpdateData: { modelName: model.modelName, ...changed } });
  const form = { source: { ...model }, save, readOnly, texts: 'Settings', saved: t('saved') };
  switch (tab) {
    case 'main':
      return <SettingsForm sections={MAIN} {...form} />;
    case 'access':
      return <Access {...where} readOnly={readOnly} />;
    case 'billing':
      return <Billing {...where} readOnly={readOnly} />;
    case 'configuration':
      return (
        <Stack gap={32}>
          <Environment account={account} model={model} readOnly={readOnly} />
          <SettingsForm key={String(archived)} sections={CONFIGURATION.filter(({ title }) => archived || title !== 'archive')} {...form} />
        </Stack>
      );
    case 'hosting':
      return (
        <Stack gap={32}>
          <HostingPlace account={account} model={model} readOnly={readOnly} />
          <SettingsForm sections={HOSTING} {...form} />
          <MountEditor account={account} model={model} readOnly={readOnly} />
          <SettingsForm sections={PATCH} {...form} />
        </Stack>
      );
    case 'documentation':
      return <Documentation account={account} model={model.modelName} readOnly={readOnly} />;
    case 'predict-config':
      return <PredictConfigs account={account} model={model.modelName} />;
  }
}

interface Where {
  account: string;
  model: string;
  readOnly: boolean;
}

function Access({ readOnly, ...where }: Where) {
  const { t } = useTranslation('Settings');
  const { data, error, refetch } = coreApi.useCoreGetModelPublicSettingsQuery(where);
  const [update] = coreApi.useCoreUpdateModelPublicSettingsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <SettingsSkeleton sections={ACCESS} />;
  return <SettingsForm sections={ACCESS} source={{ ...data }} readOnly={readOnly} texts="Settings" saved={t('saved')} save={(modelPublicSettingsData) => update({ ...where, modelPublicSettingsData })} />;
}

function Billing({ readOnly, ...where }: Where) {
  const { t } = useTranslation('Settings');
  const { data, error, refetch } = coreApi.useCoreGetModelBillingSettingsQuery(where);
  const [update] = coreApi.useCoreUpdateModelBillingSettingsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <SettingsSkeleton sections={BILLING} />;
  const save = (changed: object) => update({ ...where, modelBillingSettingsData: { isBillingEnabled: data.isBillingEnabled, ...changed } });
  return <SettingsForm sections={BILLING} source={{ ...data }} readOnly={readOnly} texts="Settings" saved={t('saved')} save={save} />;
}
