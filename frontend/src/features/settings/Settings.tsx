import { Box, NavLink, Stack } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Link } from '@/components/Link';
import { MissingRole } from '@/components/MissingRight';
import { SaveScope } from '@/components/settings/SaveScope';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { SettingsSkeleton } from '@/components/settings/SettingsSkeleton';
import { mayDevelop } from '@/lib/rights';
import { scrollToCentre } from '@/lib/scrollToCentre';
import { useSession } from '@/lib/session';

import { MAIN } from './sections';
import classes from './Settings.module.css';

// What only one section shows is loaded with that section.
const Documentation = lazy(async () => ({ default: (await import('./Documentation')).Documentation }));
const Access = lazy(async () => ({ default: (await import('./PublicSettings')).Access }));
const Billing = lazy(async () => ({ default: (await import('./PublicSettings')).Billing }));
const Configuration = lazy(async () => ({ default: (await import('./Configuration')).Configuration }));
const Hosting = lazy(async () => ({ default: (await import('./hosting/Hosting')).Hosting }));
const PredictConfigs = lazy(async () => ({ default: (await import('./PredictConfigs')).PredictConfigs }));

export const SETTINGS_TABS = [
  'main',
  'access',
  'billing',
  'configuration',
  'hosting',
  'documentation',
  'predict-config',
] as const;
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
  const session = useSession();
  const places = useRef<HTMLElement>(null);
  // On phones the sections are a scrolling row.
  useEffect(() => scrollToCentre(places.current, `[data-name="${tab}"]`), [tab]);
  const locked = session.state === 'signed-in' && !mayDevelop(session);
  return (
    <Box className={classes.settings ?? ''}>
      <Box component="nav" ref={places} aria-label={t('sections')} className={classes.nav ?? ''}>
        {SETTINGS_TABS.map((name) => (
          <NavLink
            key={name}
            data-name={name}
            component={Link}
            to={`${base}/${name}`}
            label={t(`tab.${name}`)}
            active={name === tab}
            aria-current={name === tab ? 'page' : undefined}
          />
        ))}
      </Box>
      <Stack flex={1} miw={0}>
        <SaveScope key={tab}>
          {locked && <MissingRole needed="developer" />}
          <Suspense fallback={<SettingsSkeleton sections={MAIN} />}>
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
  const where = { account, model: model.modelName };
  const save = (changed: object) =>
    update({ ...where, modelCreateUpdateData: { modelName: model.modelName, ...changed } });
  const form = { source: { ...model }, save, readOnly, texts: 'Settings', saved: t('saved') };
  switch (tab) {
    case 'main':
      return <SettingsForm sections={MAIN} {...form} />;
    case 'access':
      return <Access {...where} readOnly={readOnly} />;
    case 'billing':
      return <Billing {...where} readOnly={readOnly} />;
    case 'configuration':
      return <Configuration account={account} model={model} form={form} />;
    case 'hosting':
      return <Hosting account={account} model={model} form={form} />;
    case 'documentation':
      return <Documentation account={account} model={model.modelName} readOnly={readOnly} />;
    case 'predict-config':
      return <PredictConfigs account={account} model={model.modelName} />;
  }
}
