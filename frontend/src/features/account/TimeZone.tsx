import { Button, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { AccountInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { MissingRole } from '@/components/MissingRight';
import { containerWith } from '@/components/settings/containerWith';
import type { CustomControl, CustomField, SectionSpec } from '@/components/settings/fields';
import { ROW } from '@/components/settings/rows';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { SettingsSkeleton } from '@/components/settings/SettingsSkeleton';
import { mayDevelop } from '@/lib/rights';
import { useMember, useSession } from '@/lib/session';

const FIELD: CustomField = {
  read: (stored) => stored ?? null,
  write: (edited) => edited,
  isFaulty: () => false,
  Control: Zone,
};
const SECTIONS: SectionSpec[] = [{ fields: [{ path: 'timeZone', kind: 'custom', custom: FIELD }] }];

/** The time zone of the account: by its clock the schedules of all services hold. */
export function TimeZone() {
  const { account } = useMember();
  const { data, error, refetch } = coreApi.useCoreEnsureAccountWithIdQuery({ account });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <SettingsSkeleton sections={SECTIONS} />;
  return <ZoneForm stored={data} />;
}

function ZoneForm({ stored: { accountId, shortName, timeZone } }: { stored: AccountInfoData }) {
  const { t } = useTranslation('Account');
  const session = useSession();
  const readOnly = session.state === 'signed-in' && !mayDevelop(session);
  const [update] = coreApi.useCoreUpdateAccountDataMutation();
  return (
    <>
      {readOnly && <MissingRole needed="developer" />}
      <SettingsForm
        sections={SECTIONS}
        source={{ timeZone }}
        texts="Account"
        saved={t('saved')}
        readOnly={readOnly}
        save={(changed) => update({ accountUpdateData: { accountId, shortName, ...changed } })}
      />
    </>
  );
}

const ZONES = Intl.supportedValuesOf('timeZone');
const own = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function Zone({ value, error, readOnly, onChange }: CustomControl) {
  const { t } = useTranslation('Account');
  const zone = typeof value === 'string' ? value : null;
  const known = zone === null || ZONES.includes(zone) ? ZONES : [zone, ...ZONES];
  const mine = own();
  const beside = !readOnly && zone !== mine && (
    <Button variant="subtle" size="compact-sm" onClick={() => onChange(mine)}>
      {t('ownZone', { zone: mine })}
    </Button>
  );
  return (
    <Select
      classNames={ROW}
      label={t('field.timeZone')}
      description={t('hint.timeZone')}
      data={known}
      searchable
      allowDeselect={false}
      limit={50}
      error={error}
      readOnly={readOnly}
      value={zone}
      onChange={onChange}
      inputContainer={containerWith(beside)}
    />
  );
}
