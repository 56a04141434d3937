import { Box, NavLink, Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Environment } from '@/features/environment/Environment';
import { useSettings } from '@/lib/session';

import { Documentation } from './Documentation';
import { HostingPlace } from './HostingPlace';
import { PredictConfigs } from './PredictConfigs';
import { Schedule } from './Schedule';
import { ACCESS, BILLING, CONFIGURATION, HOSTING, MAIN } from './sections';
import classes from './Settings.module.css';
import { SettingsForm } from './SettingsForm';

export const SETTINGS_TABS = ['main', 'access', 'billing', 'configuration', 'hosting', 'documentation', 'predict-config'] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];

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
  return (
    <Box className={classes.settings ?? ''}>
      <Box component="nav" aria-label={t('sections')} className={classes.nav ?? ''}>
        {SETTINGS_TABS.map((name) => (
          <NavLink key={name} component={Link} to={`${base}/${name}`} label={t(`tab.${name}`)} active={name === tab} aria-current={name === tab ? 'page' : undefined} />
        ))}
      </Box>
      <Stack flex={1} miw={0}>
        <Chosen account={account} model={model} tab={tab} />
      </Stack>
    </Box>
  );
}

function Chosen({ account, model, tab }: Omit<Props, 'base'>) {
  const [update] = coreApi.useCoreUpdateModelMutation();
  const archived = useSettings().data?.isArchiveEnabled ?? false;
  const where = { account, model: model.modelName };
  const save = (changed: object) => update({ ...where, modelCreateUpdateData: { modelName: model.modelName, ...changed } });
  switch (tab) {
    case 'main':
      return <SettingsForm key={tab} sections={MAIN} source={{ ...model }} save={save} />;
    case 'access':
      return <Access {...where} />;
    case 'billing':
      return <Billing {...where} />;
    case 'configuration':
      // A form keeps its initial values, so each section has its own form.
      return (
        <Stack gap={32}>
          <Environment account={account} model={model} />
          <SettingsForm key={`${tab}-${archived}`} sections={CONFIGURATION.filter(({ title }) => archived || title !== 'archive')} source={{ ...model }} save={save} />
        </Stack>
      );
    case 'hosting':
      return (
        <Stack gap={32}>
          <HostingPlace account={account} model={model} />
          <SettingsForm key={tab} sections={HOSTING} source={{ ...model }} save={save} />
          <Schedule account={account} model={model} />
        </Stack>
      );
    case 'documentation':
      return <Documentation account={account} model={model.modelName} />;
    case 'predict-config':
      return <PredictConfigs account={account} model={model.modelName} />;
  }
}

interface Where {
  account: string;
  model: string;
}

function Access(where: Where) {
  const { data, error, refetch } = coreApi.useCoreGetModelPublicSettingsQuery(where);
  const [update] = coreApi.useCoreUpdateModelPublicSettingsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={280} />;
  return <SettingsForm sections={ACCESS} source={{ ...data }} save={(modelPublicSettingsData) => update({ ...where, modelPublicSettingsData })} />;
}

function Billing(where: Where) {
  const { data, error, refetch } = coreApi.useCoreGetModelBillingSettingsQuery(where);
  const [update] = coreApi.useCoreUpdateModelBillingSettingsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={280} />;
  const save = (changed: object) => update({ ...where, modelBillingSettingsData: { isBillingEnabled: data.isBillingEnabled, ...changed } });
  return <SettingsForm sections={BILLING} source={{ ...data }} save={save} />;
}
