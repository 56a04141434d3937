import { Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOtherLanguage } from './useOtherLanguage';

/** Language and theme in a menu. */
export function AppearanceItems() {
  const { t } = useTranslation('Header');
  const other = useOtherLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <>
      {other && <Menu.Item onClick={other.choose}>{other.name}</Menu.Item>}
      <Menu.Item onClick={() => setColorScheme(dark ? 'light' : 'dark')}>{t(dark ? 'light' : 'dark')}</Menu.Item>
    </>
  );
}
