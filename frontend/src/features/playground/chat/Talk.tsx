import { Button, Group, Text, Textarea } from '@mantine/core';
import { IconPlayerStop, IconSend } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './Talk.module.css';

/** The messages, scrolled to the newest. */
export function Talk({ children, length, empty }: { children: ReactNode; length: number; empty: string }) {
  const { t } = useTranslation('Playground');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (box && length > 0) box.scrollTop = box.scrollHeight;
  }, [length]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by keyboard
    <div ref={place} className={classes.talk} role="log" aria-label={t('talk')} tabIndex={0} data-testid="talk">
      {length === 0 ? (
        <Text c="dimmed" m="auto">
          {empty}
        </Text>
      ) : (
        children
      )}
    </div>
  );
}

export function Said({ mine, children }: { mine: boolean; children: ReactNode }) {
  const { t } = useTranslation('Playground');
  return (
    <div className={classes.said} data-mine={mine || undefined} data-testid={mine ? 'mine' : 'theirs'}>
      <Text size="xs" c="dimmed" fw={500}>
        {t(mine ? 'you' : 'service')}
      </Text>
      {children}
    </div>
  );
}

interface SayProps {
  running: boolean;
  onSay: (text: string) => void;
  onStop: () => void;
}

/** Enter sends, Shift+Enter starts a new line. */
export function Say({ running, onSay, onStop }: SayProps) {
  const { t } = useTranslation('Playground');
  const [text, setText] = useState('');
  const say = () => {
    if (running || !text.trim()) return;
    onSay(text.trim());
    setText('');
  };
  return (
    <Group align="flex-end" wrap="nowrap">
      <Textarea
        flex={1}
        aria-label={t('say')}
        placeholder={t('say')}
        autosize
        minRows={1}
        maxRows={6}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          say();
        }}
      />
      {running ? (
        <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onStop}>
          {t('stop')}
        </Button>
      ) : (
        <Button leftSection={<IconSend size={16} aria-hidden />} disabled={!text.trim()} onClick={say}>
          {t('send')}
        </Button>
      )}
    </Group>
  );
}
