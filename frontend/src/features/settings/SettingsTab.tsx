import type { ModelInfoData } from '@/api/generated/core.gen';

import { Settings, SETTINGS_TABS } from './Settings';

interface Props {
  account: string;
  model: ModelInfoData;
  section: string | undefined;
  base: string;
}

/** The section in the address, else the first. */
export default function SettingsTab({ section, ...others }: Props) {
  return <Settings tab={SETTINGS_TABS.find((known) => known === section) ?? 'main'} {...others} />;
}
