import { Anchor, Group, Select, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';

import classes from './Logs.module.css';
import { logLines } from './logLines';

const POLL_MS = 3000;
const LEVELS = ['all', 'warning', 'error'] as const;
type Worst = (typeof LEVELS)[number];

export interface Which {
  account: string;
  model: string;
  instanceId: number;
}

/** The live log of an instance. */
export function Logs(which: Which) {
  const { t } = useTranslation('Diagnostics');
  const [previous, setPrevious] = useState(false);
  const [follow, setFollow] = useState(true);
  const [words, setWords] = useState('');
  const [worst, setWorst] = useState<Worst>('all');
  const { data, error, isLoading } = coreApi.useCoreGetInstanceLogsQuery({ ...which, previousContainer: previous }, { pollingInterval: follow ? POLL_MS : 0, skipPollingIfUnfocused: true });
  const problem = asProblem(error);
  const text = typeof data === 'string' ? data : '';
  return (
    <Stack gap="sm">
      <Group gap="xs" wrap="wrap">
        <TextInput flex={1} miw={160} size="xs" type="search" aria-label={t('find')} placeholder={t('find')} leftSection={<IconSearch size={14} aria-hidden />} value={words} onChange={({ currentTarget }) => setWords(currentTarget.value)} />
        <Select
          size="xs"
          w={140}
          aria-label={t('level')}
          allowDeselect={false}
          data={LEVELS.map((value) => ({ value, label: t(`levels.${value}`) }))}
          value={worst}
          onChange={(value) => setWorst(LEVELS.find((known) => known === value) ?? 'all')}
        />
        <Switch size="xs" label={t('follow')} checked={follow} onChange={({ currentTarget }) => setFollow(currentTarget.checked)} />
        <Switch size="xs" label={t('previousRun')} checked={previous} onChange={({ currentTarget }) => setPrevious(currentTarget.checked)} />
        {text && (
          <Anchor size="sm" href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`} download={`instance-${which.instanceId}.log`}>
            {t('download')}
          </Anchor>
        )}
      </Group>
      {problem && !data ? <ProblemView problem={problem} /> : isLoading ? <Skeleton h="60vh" /> : <Lines text={text} words={words} worst={worst} follow={follow} />}
    </Stack>
  );
}

function Lines({ text, words, worst, follow }: { text: string; words: string; worst: Worst; follow: boolean }) {
  const { t } = useTranslation('Diagnostics');
  const place = useRef<HTMLDivElement>(null);
  const lines = logLines(text, words, worst);
  const last = lines.at(-1)?.number ?? 0;
  useEffect(() => {
    if (follow && last > 0 && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [follow, last]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by keyboard
    <div ref={place} className={classes.log} role="log" aria-label={t('tab.logs')} tabIndex={0}>
      {lines.length === 0 ? (
        <Text c="dimmed">{t(text ? 'nothingFound' : 'noLogs')}</Text>
      ) : (
        lines.map((line) => (
          <div key={line.number} className={classes.line} data-level={line.level}>
            <span className={classes.number} aria-hidden>
              {line.number}
            </span>
            {line.text}
          </div>
        ))
      )}
    </div>
  );
}
