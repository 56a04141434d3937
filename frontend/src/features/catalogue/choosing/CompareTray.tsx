import { Button, CloseButton, Group, Pill, Portal, Text, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';

import { compareAddress, MOST, useChosen } from './chosen';
import classes from './CompareTray.module.css';

/** The button that begins a choice, and what is chosen meanwhile at the bottom of the window. */
export default function CompareTray() {
  const { t } = useTranslation('Compare');
  const { chosen, choosing, set, toggle } = useChosen();
  return (
    <>
      <Tooltip label={t('hint', { most: MOST })}>
        <Button
          variant="default"
          w="100%"
          px="xs"
          aria-pressed={choosing}
          aria-label={t('start')}
          onClick={() => set(choosing ? null : [])}
        >
          <IconColumns3 size={16} aria-hidden />
          <Text span inherit ml={8} visibleFrom="sm">
            {t('start')}
          </Text>
        </Button>
      </Tooltip>
      {choosing && (
        <Portal>
          <section className={classes.tray} aria-label={t('title')}>
            <Group justify="space-between" gap="sm" maw="var(--mlp-page)" mx="auto">
              <Group gap="xs" aria-live="polite">
                {chosen.length === 0 && <Text c="dimmed">{t('hint', { most: MOST })}</Text>}
                {chosen.map((name) => (
                  <Pill
                    key={name}
                    size="lg"
                    withRemoveButton
                    onRemove={() => toggle(name)}
                    removeButtonProps={{ 'aria-label': t('removeOf', { name }), tabIndex: 0, 'aria-hidden': false }}
                  >
                    {name}
                  </Pill>
                ))}
              </Group>
              <Group gap="xs" wrap="nowrap" ml="auto">
                <Button
                  component={Link}
                  to={compareAddress(chosen)}
                  data-disabled={chosen.length < 2 || undefined}
                  aria-disabled={chosen.length < 2}
                  onClick={(event) => chosen.length < 2 && event.preventDefault()}
                >
                  {t('compare', { count: chosen.length })}
                </Button>
                <CloseButton aria-label={t('cancel')} onClick={() => set(null)} />
              </Group>
            </Group>
          </section>
        </Portal>
      )}
    </>
  );
}
