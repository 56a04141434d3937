import { Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useSession } from '@/lib/session';

import classes from './KeyboardHelp.module.css';
import { placesOf } from './places';
import { paletteKeys } from './paletteKeys';

/** The keys that work on every page. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('Keyboard');
  const places = placesOf(useSession());
  useTranslation('Places');
  return (
    <Modal opened onClose={onClose} size="lg" title={t('title')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      <Stack gap="md">
        <Keys
          rows={[
            [paletteKeys(), t('palette')],
            [['/'], t('search')],
            [['?'], t('help')],
            [['Esc'], t('close')],
          ]}
        />
        <Title order={3}>{t('go')}</Title>
        <Keys rows={places.map(({ letter, text }) => [['g', letter], t(text)])} />
        <Text size="sm" c="dimmed">
          {t('notWhileTyping')}
        </Text>
      </Stack>
    </Modal>
  );
}

function Keys({ rows }: { rows: readonly (readonly [readonly string[], string])[] }) {
  return (
    <dl className={classes.keys}>
      {rows.map(([keys, meaning]) => (
        <div key={keys.join(' ')} className={classes.row}>
          <dt>
            {keys.map((key, place) => (
              <Kbd key={`${place} ${key}`} mr={4}>
                {key}
              </Kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
