import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useSettings } from '@/lib/session';
import { chooseLanguage, type Language } from '@/lib/i18n';

/** Language and theme; the language can be chosen unless the installation speaks English only. */
export function Appearance({ inMenu = false }: { inMenu?: boolean }) {
  const { t, i18n } = useTranslation('Header');
  const { data: settings } = useSettings();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const other: Language = i18n.language === 'ru' ? 'en' : 'ru';
  const theme = t(dark ? 'light' : 'dark');
  const speak = () => void chooseLanguage(i18n, other);
  const paint = () => setColorScheme(dark ? 'light' : 'dark');
  const mayChoose = settings?.englishOnly === false;
  if (inMenu) {
    return (
      <>
        {mayChoose && <Menu.Item onClick={speak}>{t('otherLanguage')}</Menu.Item>}
        <Menu.Item onClick={paint}>{theme}</Menu.Item>
      </>
    );
  }
  return (
    <>
      {mayChoose && (
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={speak} aria-label={t('otherLanguage')} title={t('otherLanguage')}>
          <IconLanguage size={20} stroke={1.5} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon variant="subtle" color="gray" size="lg" onClick={paint} aria-label={theme} title={theme}>
        {dark ? <IconSun size={20} stroke={1.5} aria-hidden /> : <IconMoon size={20} stroke={1.5} aria-hidden />}
      </ActionIcon>
    </>
  );
}
