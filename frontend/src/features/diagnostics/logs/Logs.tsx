import { Button, Group, Select, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconDownload, IconPlayerPause, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemView } from '@/components/feedback/ProblemView';
import { formatNumber } from '@/lib/format/number';

import { type LogLine, matching } from './logBuffer';
import { LogView } from './LogView';
import { useLogTail, type Which } from './useLogTail';

const LEVELS = ['all', 'warning', 'error'] as const;
type Worst = (typeof LEVELS)[number];

/** The live output of an instance. */
export function Logs(which: Which) {
  const { t } = useTranslation('Diagnostics');
  const [previous, setPrevious] = useState(false);
  const [paused, setPaused] = useState(false);
  const [words, setWords] = useState('');
  const [worst, setWorst] = useState<Worst>('all');
  const { lines, loaded, problem } = useLogTail(which, previous, paused);
  const wanted = useDeferredValue(words);
  const found = useMemo(() => matching(lines, wanted, worst), [lines, wanted, worst]);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <TextInput
          flex={1}
          miw={160}
          size="xs"
          type="search"
          aria-label={t('find')}
          placeholder={t('find')}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <Select
          size="xs"
          w={150}
          aria-label={t('level')}
          allowDeselect={false}
          data={LEVELS.map((value) => ({ value, label: t(`levels.${value}`) }))}
          value={worst}
          onChange={(value) => setWorst(LEVELS.find((known) => known === value) ?? 'all')}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={paused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />}
          onClick={() => setPaused((now) => !now)}
        >
          {t(paused ? 'resume' : 'pause')}
        </Button>
      </Group>
      <Group gap="xs" justify="space-between">
        <Switch
          size="xs"
          label={t('previousRun')}
          checked={previous}
          onChange={({ currentTarget }) => setPrevious(currentTarget.checked)}
        />
        <Group gap="xs">
          <Text size="xs" c="dimmed" ff="monospace" aria-live="off">
            {found.length === lines.length
              ? t('lines', { count: lines.length, shown: formatNumber(lines.length) })
              : t('linesOf', { found: formatNumber(found.length), all: formatNumber(lines.length) })}
          </Text>
          <Copying lines={found} />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            disabled={lines.length === 0}
            onClick={() => download(lines, `instance-${which.instanceId}.log`)}
          >
            {t('download')}
          </Button>
        </Group>
      </Group>
      {problem && <ProblemView problem={problem} />}
      {!loaded && !problem && <Skeleton h="60vh" />}
      {loaded && (
        <LogView key={String(previous)} lines={found} empty={t(lines.length > 0 ? 'nothingFound' : 'noLogs')} />
      )}
    </Stack>
  );
}

const textOf = (lines: readonly LogLine[]) => lines.map(({ text }) => `${text}\n`).join('');

/** The text is made when it is copied: it may be megabytes. */
function Copying({ lines }: { lines: readonly LogLine[] }) {
  const { t } = useTranslation('Diagnostics');
  const { copy, copied } = useClipboard({ timeout: 1500 });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      disabled={lines.length === 0}
      onClick={() => copy(textOf(lines))}
    >
      {t(copied ? 'App:copied' : 'App:copy')}
    </Button>
  );
}

function download(lines: readonly LogLine[], name: string): void {
  const address = URL.createObjectURL(new Blob([textOf(lines)], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
