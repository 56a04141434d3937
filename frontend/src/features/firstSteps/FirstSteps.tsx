import { ActionIcon, Alert, Anchor, Box, Button, Group, Paper, Skeleton, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled, IconGift, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { coreApi } from '@/api';
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
}

/** What a new account does first, each ticked by the fact: a call in the browser, a key, a call with a key. */
export default function FirstSteps({ session, accountId }: Props) {
  const { t } = useTranslation('FirstSteps');
  const { over, done, failed, hide } = useFirstSteps(accountId);
  const bonus = useWelcomeBonus(session, accountId);
  const count = done ? STEPS.filter((step) => done[step]).length : 0;
  const finished = count === STEPS.length;
  // The finished list stays until the page is left: the last tick should be seen.
  useEffect(() => {
    if (finished) end(localStorage, accountId);
  }, [finished, accountId]);
  // An account that had done everything before needs no list.
  const [begun, setBegun] = useState(false);
  if (done && !finished && !begun) setBegun(true);
  if (over || failed || (finished && !begun)) return null;
  if (!done || !bonus.known) return <Skeleton className={classes.list ?? ''} aria-busy="true" />;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('title')} className={classes.list ?? ''}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="sm">
        <Group gap="sm" miw={0}>
          <Title order={2} fz="lg">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('done', { count, total: STEPS.length })}
          </Text>
          {bonus.amount !== null && (
            <Button className={classes.bonus ?? ''} variant="light" size="compact-sm" leftSection={<IconGift size={16} aria-hidden />} loading={bonus.isTaking} onClick={() => void bonus.take()}>
              {t('bonus', { amount: bonus.amount })}
            </Button>
          )}
        </Group>
        <ActionIcon variant="subtle" color="gray" flex="none" aria-label={t('hide')} title={t('hide')} onClick={hide}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {bonus.reason && <Alert color="yellow" role="alert" mb="sm">{bonus.reason}</Alert>}
      <Rows done={done} />
    </Paper>
  );
}

function Rows({ done }: { done: Record<Step, boolean> }) {
  const { t } = useTranslation('FirstSteps');
  const back = useBack();
  // One service to begin with: of those that others used last, one that answers at once and may be tried.
  const { data } = coreApi.useCoreGetPublicModelsQuery({ onlyPublic: true, page: 0, size: CANDIDATES, sort: 'lastActivity,desc' });
  const model = data?.records.find(({ state, publicSettings }) => state === 'RUNNING' && publicSettings.publicTestingAllowed);
  const service = model ? `/catalog/${encodeURIComponent(model.modelAccountName ?? String(model.id.accountId))}/${encodeURIComponent(model.modelName)}` : null;
  const places: Record<Step, string> = { try: service ?? '/catalog', key: `/workspace/api-keys?new&back=${encodeURIComponent(back)}`, call: service ? `${service}/api` : '/catalog' };
  const hints: Record<Step, string> = { try: model ? t('hint.try', { service: model.displayName ?? model.modelName }) : t('hint.tryAny'), key: t('hint.key'), call: t('hint.call') };
  return (
    <Box component="ol" className={classes.steps ?? ''}>
      {STEPS.map((step) => (
        <li key={step} className={classes.step} data-done={done[step] || undefined}>
          {done[step] ? <IconCircleCheckFilled size={20} aria-hidden /> : <IconCircle size={20} stroke={1.5} aria-hidden />}
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
