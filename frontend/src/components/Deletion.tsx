import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, type Problem } from '@/api';
import { ProblemSummary } from '@/components/feedback/ProblemSummary';

import { Link } from './Link';

const IN_USE = 'mlp.core.in_use';
/** Kinds of use by services. */
const SERVICES = ['services', 'named', 'named_and_more'];

interface Props {
  opened: boolean;
  title: string;
  /** The account whose services may use it. */
  account: string;
  /** Deletes it, and returns the server's refusal. */
  remove: () => Promise<{ error?: Parameters<typeof asProblem>[0] }>;
  onClose: () => void;
  /** Default: closes. */
  onDeleted?: () => void;
  /** Leads to the services that use it, beside those that the server names. */
  users?: ReactNode;
  /** What is lost. */
  children: ReactNode;
}

/** Asks before something is deleted, and says in the same window why it was refused. What is in use cannot be deleted a second time either. */
export function Deletion({ opened, title, onClose, ...others }: Props) {
  const { t } = useTranslation('App');
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Question onClose={onClose} {...others} />
    </Modal>
  );
}

function Question({ account, remove, onClose, onDeleted = onClose, users, children }: Omit<Props, 'opened' | 'title'>) {
  const { t } = useTranslation('App');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const used = problem?.code === IN_USE;
  const end = async () => {
    setBusy(true);
    const found = asProblem((await remove()).error);
    setBusy(false);
    setProblem(found);
    if (!found) onDeleted();
  };
  return (
    <Stack>
      {!used && <Text component="div">{children}</Text>}
      {problem && (
        <Alert color="red" role="alert">
          <ProblemSummary problem={problem} />
        </Alert>
      )}
      {used && <Services account={account} names={problem.args.names?.split(', ') ?? []} onOpen={onClose} />}
      {used && SERVICES.includes(problem.args.use ?? '') && users}
      <Group justify="flex-end">
        {used ? (
          <Button key="close" ref={focused} variant="default" onClick={onClose}>
            {t('close')}
          </Button>
        ) : (
          <>
            <Button key="cancel" variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button color="red" loading={busy} onClick={() => void end()}>
              {t('delete')}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}

/** The button that had the focus is gone. */
const focused = (button: HTMLElement | null) => button?.focus();

function Services({ account, names, onOpen }: { account: string; names: readonly string[]; onOpen: () => void }) {
  const { t } = useTranslation('App');
  if (names.length === 0) return null;
  return (
    <Group gap="4px 12px" style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{t('openServices')}</Text>
      {names.map((name) => (
        <Anchor
          key={name}
          component={Link}
          size="sm"
          to={`/workspace/model/${account}/${encodeURIComponent(name)}/settings`}
          onClick={onOpen}
        >
          {name}
        </Anchor>
      ))}
    </Group>
  );
}
