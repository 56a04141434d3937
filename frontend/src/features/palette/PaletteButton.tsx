import { UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import classes from './PaletteButton.module.css';
import { paletteKeys } from './paletteKeys';

export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation('Header');
  const keys = paletteKeys();
  const shown = keys[0] === '⌘' ? 'Meta' : 'Control';
  return (
    <UnstyledButton
      className={classes.button ?? ''}
      aria-label={t('palette')}
      title={`${t('palette')} (${keys.join(' ')})`}
      aria-haspopup="dialog"
      aria-keyshortcuts={`${shown}+K`}
      onClick={onOpen}
    >
      <IconSearch size={18} stroke={1.5} aria-hidden />
      <span className={classes.text}>{t('search')}</span>
      <kbd className={`${classes.text ?? ''} ${classes.keys ?? ''}`}>{keys.join(' ')}</kbd>
    </UnstyledButton>
  );
}
