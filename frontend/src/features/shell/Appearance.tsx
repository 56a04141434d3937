import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useOtherLanguage } from './useOtherLanguage';

/** Language and theme. */
export function Appearance() {
  const { t } = useTranslation('Header');
  const other = useOtherLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const theme = t(dark ? 'light' : 'dark');
  return (
    <>
      {other && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={other.choose}
          aria-label={other.name}
          title={other.name}
        >
          <IconLanguage size={20} stroke={1.5} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
        aria-label={theme}
        title={theme}
      >
        {dark ? <IconSun size={20} stroke={1.5} aria-hidden /> : <IconMoon size={20} stroke={1.5} aria-hidden />}
      </ActionIcon>
    </>
  );
}
