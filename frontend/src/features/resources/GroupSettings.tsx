import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ResourceGroupEssentialData } from '@/api/generated/core.gen';
import { MissingRole } from '@/components/MissingRight';
import type { SectionSpec } from '@/components/settings/fields';
import { SaveScope } from '@/components/settings/SaveScope';
import { SettingsForm } from '@/components/settings/SettingsForm';
import { mayDevelop } from '@/lib/rights';
import { useSession } from '@/lib/session';

const SECTIONS: SectionSpec[] = [
  {
    fields: [
      { path: 'isDefault', kind: 'switch' },
      { path: 'enabledEviction', kind: 'switch' },
    ],
  },
];

export function GroupSettings({ account, group }: { account: string; group: ResourceGroupEssentialData }) {
  const { t } = useTranslation('Resources');
  const session = useSession();
  const [update] = coreApi.useCoreUpdateResourceGroupMutation();
  const locked = session.state === 'signed-in' && !mayDevelop(session);
  const { isDefault, enabledEviction } = group;
  return (
    <SaveScope>
      {locked && <MissingRole needed="developer" />}
      <SettingsForm
        sections={SECTIONS}
        source={{ isDefault, enabledEviction }}
        texts="Resources"
        saved={t('updated')}
        readOnly={locked}
        save={(changed) =>
          update({
            account,
            groupName: group.name,
            updateResourceGroupData: { isDefault, enabledEviction, ...changed },
          })
        }
      />
    </SaveScope>
  );
}
