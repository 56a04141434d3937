import { ActionIcon, Alert, Anchor, Box, Button, Group, Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled, IconGift, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Link } from '@/components/Link';
import { useWelcomeBonus } from '@/features/billing/useWelcomeBonus';
import type { SignedIn } from '@/lib/session';
import { useBack } from '@/lib/useBack';

import classes from './FirstSteps.module.css';
import { end } from './over';
import { type Step, STEPS, useFirstSteps } from './useFirstSteps';

const CANDIDATES = 20;

interface Props {
  session: SignedIn;
  accountId: number;
  /** Shown instead of all until it is certain whether there are steps, and what they say. */
  waiting: ReactNode;
  /** What stands below the steps. */
  children: ReactNode;
}

/** What a new account does first, each ticked by the fact: a call in the browser, a key, a call with a key. */
export default function FirstSteps({ session, accountId, waiting, children }: Props) {
  const { over, done, failed, hide } = useFirstSteps(accountId);
  const bonus = useWelcomeBonus(session, accountId);
  const first = useFirstService(over);
  const count = done ? STEPS.filter((step) => done[step]).length : 0;
  const finished = count === STEPS.length;
  // The finished list stays until the page is left: the last tick should be seen.
  useEffect(() => {
    if (finished) end(localStorage, accountId);
  }, [finished, accountId]);
  // An account that had done everything before needs no list.
  const [begun, setBegun] = useState(false);
  if (done && !finished && !begun) setBegun(true);
  const none = over || failed || (finished && !begun);
  // Once shown, nothing goes back: answers that are asked for again after an error are unknown again.
  const [shown, setShown] = useState(false);
  const ready = none || (done !== null && bonus.known && first.known);
  if (ready && !shown) setShown(true);
  if (!ready && !shown) return waiting;
  return (
    <>
      {!none && done && <Panel done={done} count={count} bonus={bonus} model={first.model} onHide={hide} />}
      {children}
    </>
  );
}

interface PanelProps {
  done: Record<Step, boolean>;
  count: number;
  bonus: ReturnType<typeof useWelcomeBonus>;
  model: ModelInfoData | undefined;
  onHide: () => void;
}

function Panel({ done, count, bonus, model, onHide }: PanelProps) {
  const { t } = useTranslation('FirstSteps');
  return (
    <Paper withBorder p="md" component="section" aria-label={t('title')}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="sm">
        <Group gap="sm" miw={0}>
          <Title order={2} fz="lg">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('done', { count, total: STEPS.length })}
          </Text>
          {bonus.amount !== null && (
            <Button
              className={classes.bonus ?? ''}
              variant="light"
              size="compact-sm"
              leftSection={<IconGift size={16} aria-hidden />}
              loading={bonus.isTaking}
              onClick={() => void bonus.take()}
            >
              {t('bonus', { amount: bonus.amount })}
            </Button>
          )}
        </Group>
        <ActionIcon variant="subtle" color="gray" flex="none" aria-label={t('hide')} title={t('hide')} onClick={onHide}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {bonus.reason && (
        <Alert color="yellow" role="alert" mb="sm">
          {bonus.reason}
        </Alert>
      )}
      <Rows done={done} model={model} />
    </Paper>
  );
}

/** One service to begin with: of those that others used last, one that answers at once and may be tried. */
function useFirstService(skip: boolean) {
  const { data, isLoading } = coreApi.useCoreGetPublicModelsQuery(
    { onlyPublic: true, page: 0, size: CANDIDATES, sort: 'lastActivity,desc' },
    { skip },
  );
  return {
    known: !isLoading,
    model: data?.records.find(
      ({ state, publicSettings }) => state === 'RUNNING' && publicSettings.publicTestingAllowed,
    ),
  };
}

function Rows({ done, model }: { done: Record<Step, boolean>; model: ModelInfoData | undefined }) {
  const { t } = useTranslation('FirstSteps');
  const back = useBack();
  const service = model
    ? `/catalog/${encodeURIComponent(model.modelAccountName ?? String(model.id.accountId))}/${encodeURIComponent(model.modelName)}`
    : null;
  const places: Record<Step, string> = {
    try: service ?? '/catalog',
    key: `/workspace/api-keys?new&back=${encodeURIComponent(back)}`,
    call: service ? `${service}/api` : '/catalog',
  };
  const hints: Record<Step, string> = {
    try: model ? t('hint.try', { service: model.displayName ?? model.modelName }) : t('hint.tryAny'),
    key: t('hint.key'),
    call: t('hint.call'),
  };
  return (
    <Box component="ol" className={classes.steps ?? ''}>
      {STEPS.map((step) => (
        <li key={step} className={classes.step} data-done={done[step] || undefined}>
          {done[step] ? (
            <IconCircleCheckFilled size={20} aria-hidden />
          ) : (
            <IconCircle size={20} stroke={1.5} aria-hidden />
          )}
          <div>
            {done[step] && <VisuallyHidden>{t('ticked')}: </VisuallyHidden>}
            <Anchor component={Link} to={places[step]} fw={500}>
              {t(`step.${step}`)}
            </Anchor>
            <Text size="sm" c="dimmed">
              {hints[step]}
            </Text>
          </div>
        </li>
      ))}
    </Box>
  );
}
