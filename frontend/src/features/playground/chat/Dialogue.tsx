import { Anchor, Button, Group, Image, Stack } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { CallFacts } from '@/features/playground/CallFacts';
import { CallProblem } from '@/features/playground/CallProblem';
import { repliesOf, type Reply } from './conversation';
import { Said, Say, Talk } from './Talk';
import { useRun } from '@/features/playground/useRun';

interface Props {
  account: string;
  model: string;
  /** How far the start of a service is that does not run. */
  waking?: ReactNode;
}

interface Line {
  mine: boolean;
  replies: Reply[];
}

const newClient = () =>
  `playground-${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/** A conversation with a bot that remembers its clients by their id. */
export default function Dialogue({ account, model, waking }: Props) {
  const { t } = useTranslation('Playground');
  const run = useRun(account, model);
  const [client, setClient] = useState(newClient);
  const [lines, setLines] = useState<Line[]>([]);
  const say = async (input: string) => {
    setLines((now) => [...now, { mine: true, replies: [{ kind: 'text', text: input }] }]);
    const outcome = await run.start({ clientId: client, input });
    if (!outcome || 'problem' in outcome) return;
    const { body } = outcome.answer;
    setLines((now) => [
      ...now,
      { mine: false, replies: repliesOf(body) ?? [{ kind: 'text', text: JSON.stringify(body) }] },
    ]);
  };
  const outcome = run.last?.outcome;
  return (
    <Stack gap="sm">
      <Group justify="flex-end">
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconEraser size={16} aria-hidden />}
          disabled={run.running || lines.length === 0}
          onClick={() => {
            setLines([]);
            setClient(newClient());
          }}
        >
          {t('forget')}
        </Button>
      </Group>
      <Talk length={lines.length + Number(run.running)} empty={t('talkHint')}>
        {lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- what was said is never reordered
          <Said key={index} mine={line.mine}>
            {line.replies.map((reply, number) => (
              // oxlint-disable-next-line react/no-array-index-key -- nor within an answer
              <OneReply
                key={number}
                reply={reply}
                disabled={run.running || index < lines.length - 1}
                onPress={(text) => void say(text)}
              />
            ))}
          </Said>
        ))}
        {run.running && <Said mine={false}>{waking || '…'}</Said>}
      </Talk>
      {outcome && 'problem' in outcome && <CallProblem problem={outcome.problem} />}
      <Say running={run.running} onSay={(text) => void say(text)} onStop={run.stop} />
      {outcome && 'answer' in outcome && <CallFacts answer={outcome.answer} />}
    </Stack>
  );
}

function OneReply({ reply, disabled, onPress }: { reply: Reply; disabled: boolean; onPress: (text: string) => void }) {
  const { t } = useTranslation('Playground');
  switch (reply.kind) {
    case 'text':
      return <div>{reply.text}</div>;
    case 'buttons':
      return (
        <Group gap="xs">
          {reply.buttons.map((button, index) => (
            <Button
              key={`${index}:${button}`}
              size="compact-sm"
              variant="default"
              disabled={disabled}
              onClick={() => onPress(button)}
            >
              {button}
            </Button>
          ))}
        </Group>
      );
    case 'image':
      return <Image src={reply.url} alt={t('sentImage')} radius="md" maw={320} referrerPolicy="no-referrer" />;
    case 'audio':
      return (
        <Anchor href={reply.url} target="_blank" rel="noreferrer">
          {t('sentAudio')}
        </Anchor>
      );
  }
}
