import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { MOST, useChosen } from './chosen';

/** Chooses a card of the catalogue to be compared. */
export default function Pick({ name, title }: { name: string; title: string }) {
  const { t } = useTranslation('Compare');
  const { chosen, toggle } = useChosen();
  const checked = chosen.includes(name);
  return (
    <Checkbox
      label={t('pick')}
      aria-label={t('pickOf', { name: title })}
      checked={checked}
      disabled={!checked && chosen.length >= MOST}
      onChange={() => toggle(name)}
    />
  );
}
