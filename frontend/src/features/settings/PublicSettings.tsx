import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { SettingsSkeleton } from '@/components/settings/SettingsSkeleton';

import { ACCESS, BILLING } from './publicSections';

/** The settings that the server keeps apart from the service's others. */
interface Where {
  account: string;
  model: string;
  readOnly: boolean;
}

export function Access({ readOnly, ...where }: Where) {
  const { t } = useTranslation('Settings');
  const { data, error, refetch } = coreApi.useCoreGetModelPublicSettingsQuery(where);
  const [update] = coreApi.useCoreUpdateModelPublicSettingsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <SettingsSkeleton sections={ACCESS} />;
  return (
    <SettingsForm
      sections={ACCESS}
      source={{ ...data }}
      readOnly={readOnly}
      texts="Settings"
      saved={t('saved')}
      save={(modelPublicSettingsData) => update({ ...where, modelPublicSettingsData })}
    />
  );
}

export function Billing({ readOnly, ...where }: Where) {
  const { t } = useTranslation('Settings');
  const { data, error, refetch } = coreApi.useCoreGetModelBillingSettingsQuery(where);
  const [update] = coreApi.useCoreUpdateModelBillingSettingsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <SettingsSkeleton sections={BILLING} />;
  const save = (changed: object) =>
    update({ ...where, modelBillingSettingsData: { isBillingEnabled: data.isBillingEnabled, ...changed } });
  return (
    <SettingsForm
      sections={BILLING}
      source={{ ...data }}
      readOnly={readOnly}
      texts="Settings"
      saved={t('saved')}
      save={save}
    />
  );
}
