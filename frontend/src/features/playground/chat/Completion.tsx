import { Button, Group, NumberInput, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustments, IconEraser } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { CallFacts } from '@/features/playground/CallFacts';
import { CallProblem } from '@/features/playground/CallProblem';
import {
  addedText,
  completionCall,
  type CompletionSettings,
  type Message,
  NO_SETTINGS,
  type TokenUsage,
  usageOf,
} from './conversation';
import { Said, Say, Talk } from './Talk';
import { useRun } from '@/features/playground/useRun';

const figure = (value: number | string) => (value === '' ? null : Number(value));

interface Props {
  account: string;
  model: string;
  /** How far the start of a service is that does not run. */
  waking?: ReactNode;
}

/** A conversation with a language model; the answer is streamed. */
export default function Completion({ account, model, waking }: Props) {
  const { t } = useTranslation('Playground');
  const run = useRun(account, model);
  const [messages, setMessages] = useState<Message[]>([]);
  const [coming, setComing] = useState('');
  const [usage, setUsage] = useState<TokenUsage | null>(null);
  const [settings, setSettings] = useState(NO_SETTINGS);
  const [adjusting, adjust] = useDisclosure(false);
  const say = async (content: string) => {
    const asked: Message[] = [...messages, { role: 'user', content }];
    setMessages(asked);
    setUsage(null);
    let text = '';
    const { data, config } = completionCall(asked, settings);
    await run.stream(data, config, (part) => {
      text += addedText(part);
      setComing(text);
      setUsage((known) => usageOf(part) ?? known);
    });
    // Parts before a stop or a failure stay visible: they were charged.
    if (text) setMessages([...asked, { role: 'assistant', content: text }]);
    setComing('');
  };
  const outcome = run.last?.outcome;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconAdjustments size={16} aria-hidden />}
          aria-expanded={adjusting}
          onClick={adjust.toggle}
        >
          {t('settings')}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconEraser size={16} aria-hidden />}
          disabled={run.running || messages.length === 0}
          onClick={() => setMessages([])}
        >
          {t('forget')}
        </Button>
      </Group>
      {adjusting && <Settings settings={settings} onChange={(part) => setSettings((now) => ({ ...now, ...part }))} />}
      <Talk length={messages.length + coming.length} empty={t('talkHint')}>
        {messages.map((message, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- what was said is never reordered
          <Said key={index} mine={message.role === 'user'}>
            {message.content}
          </Said>
        ))}
        {run.running && <Said mine={false}>{coming || waking || '…'}</Said>}
      </Talk>
      {outcome && 'problem' in outcome && <CallProblem problem={outcome.problem} />}
      <Say running={run.running} onSay={(text) => void say(text)} onStop={run.stop} />
      {outcome && 'answer' in outcome && (
        <CallFacts answer={outcome.answer}>
          {usage && (
            <Text size="sm" c="dimmed">
              {t('usage', { prompt: usage.prompt, completion: usage.completion })}
            </Text>
          )}
        </CallFacts>
      )}
    </Stack>
  );
}

function Settings({
  settings,
  onChange,
}: {
  settings: CompletionSettings;
  onChange: (part: Partial<CompletionSettings>) => void;
}) {
  const { t } = useTranslation('Playground');
  return (
    <Stack gap="xs">
      <Textarea
        label={t('system')}
        autosize
        minRows={2}
        maxRows={8}
        value={settings.system}
        onChange={({ currentTarget }) => onChange({ system: currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label={t('languageModel')}
          placeholder={t('asService')}
          value={settings.model}
          onChange={({ currentTarget }) => onChange({ model: currentTarget.value })}
        />
        <NumberInput
          label={t('temperature')}
          placeholder={t('asService')}
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          value={settings.temperature ?? ''}
          onChange={(value) => onChange({ temperature: figure(value) })}
        />
        <NumberInput
          label={t('maxTokens')}
          placeholder={t('asService')}
          min={1}
          allowDecimal={false}
          value={settings.maxTokens ?? ''}
          onChange={(value) => onChange({ maxTokens: figure(value) })}
        />
      </SimpleGrid>
    </Stack>
  );
}
