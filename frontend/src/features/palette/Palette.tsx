/* oxlint-disable jsx-a11y/prefer-tag-over-role -- it is an input; the role says that it has a list */
import { Button, Group, Kbd, Loader, Modal, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { browser } from '@/lib/browser';

import { elementOf, type Item } from './items';
import { Options } from './Options';
import classes from './Palette.module.css';
import { addRecent } from './recent';
import { usePalette } from './usePalette';

interface Props {
  language: { name: string; choose: () => void } | null;
  onClose: () => void;
  onHelp: () => void;
}

/** Finds and opens anything by typing: services, groups, keys, accounts, pages, actions. */
export default function Palette({ language, onClose, onHelp }: Props) {
  const { t } = useTranslation('Palette');
  return (
    <Modal.Root opened onClose={onClose} yOffset="10vh" size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label={t('title')}>
        <Modal.Body p={0}>
          <Finder language={language} onClose={onClose} onHelp={onHelp} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Finder({ language, onClose, onHelp }: Props) {
  const { t } = useTranslation('Palette');
  const list = useId();
  const navigate = useNavigate();
  const palette = usePalette({ language, onHelp });
  const [chosen, setChosen] = useState<string | null>(null);
  const items = [...palette.groups.flatMap((group) => group.items), ...(palette.elsewhere ? [palette.elsewhere] : [])];
  // What is chosen stays chosen while results arrive; if it is gone, the first line is.
  const active = items.find(({ id }) => id === chosen) ?? items[0];

  const open = (item: Item) => {
    onClose();
    if (item.to) {
      if (item.group !== 'actions' && item !== palette.elsewhere)
        addRecent(localStorage, palette.keptFor, {
          id: item.id,
          title: item.title,
          hint: item.hint ?? null,
          to: item.to,
        });
      void navigate(item.to);
    } else if (item.href) browser.go(item.href);
    else void item.run?.();
  };
  const move = (by: number) => {
    const place = active ? items.indexOf(active) : -1;
    setChosen(items[(place + by + items.length) % items.length]?.id ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && active) open(active);
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else return;
    event.preventDefault();
  };
  const nothing = !palette.searching && !palette.failed && palette.groups.length === 0;
  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.field ?? ''}
        leftSection={palette.searching ? <Loader size={16} /> : <IconSearch size={18} aria-hidden />}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active && elementOf(list, active)}
        aria-label={t('title')}
        placeholder={t('placeholder')}
        maxLength={64}
        value={palette.text}
        onChange={({ currentTarget }) => {
          palette.setText(currentTarget.value);
          setChosen(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div aria-live="polite">
        {nothing && <Text className={classes.note ?? ''}>{t('nothing', { query: palette.query })}</Text>}
        {palette.failed && (
          <Group className={classes.note ?? ''} justify="space-between" role="alert">
            {t('failed')}
            <Button size="compact-sm" variant="default" onClick={palette.again}>
              {t('Error:again')}
            </Button>
          </Group>
        )}
      </div>
      <Options
        list={list}
        groups={palette.groups}
        elsewhere={palette.elsewhere}
        active={active?.id ?? null}
        onChoose={setChosen}
        onOpen={open}
      />
      <Group className={classes.foot ?? ''} gap="md" aria-hidden>
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> {t('choose')}
        </span>
        <span>
          <Kbd size="xs">Enter</Kbd> {t('open')}
        </span>
        <span>
          <Kbd size="xs">Esc</Kbd> {t('App:close').toLowerCase()}
        </span>
      </Group>
    </>
  );
}
