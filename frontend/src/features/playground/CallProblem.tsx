import { Anchor, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Link } from '@/components/Link';
import { WelcomeBonus } from '@/features/billing/WelcomeBonus';
import { useSession } from '@/lib/session';
import { useBack } from '@/lib/useBack';

export type Remedy = 'refill' | 'feature' | 'key' | 'start' | 'wait' | 'smaller' | 'cap' | 'room';

const REMEDIES: Record<string, Remedy> = {
  'mlp.billing.insufficient_funds': 'refill',
  'mlp.billing.account_blocked': 'refill',
  'mlp.gate.testing_not_allowed': 'key',
  'mlp.gate.no_active_instances': 'start',
  'mlp.gate.instance_start_timeout': 'wait',
  'mlp.gate.queue_full': 'wait',
  'mlp.gate.overloaded': 'wait',
  'mlp.gate.pps_limit_exceeded': 'wait',
  'mlp.gate.share_exceeded': 'wait',
  'mlp.gate.too_many_predictions': 'wait',
  'mlp.gate.too_many_sockets': 'wait',
  'mlp.gate.page_limit_exceeded': 'wait',
  'mlp.gate.disk_full': 'wait',
  'mlp.gate.disk_low': 'wait',
  'mlp.gate.request_too_large': 'smaller',
  'mlp.gate.price_above_cap': 'cap',
  'mlp.gate.storage_limit_exceeded': 'room',
};

/** Advice for a refusal; null if its message is all there is. */
export function remedyOf({ code, status, args }: Pick<Problem, 'code' | 'status' | 'args'>): Remedy | null {
  if (code === 'mlp.gate.access_denied' && args.feature) return 'feature';
  return REMEDIES[code] ?? (status === 402 ? 'refill' : null);
}

/** Where the remedy is. Refills and keys lead back to the service: `back` is its address. */
const PLACES: Partial<Record<Remedy, (back: string) => string>> = {
  refill: (back) => `${back}${back.includes('?') ? '&' : '?'}modal=refill`,
  key: (back) => `/workspace/api-keys?new&back=${encodeURIComponent(back)}`,
  cap: (back) => `/workspace/api-keys?back=${encodeURIComponent(back)}`,
  room: () => '/workspace/account-info/storage',
};

/** A refused call: the error and advice. Who lacks money and has not had the welcome bonus can take it here. */
export function CallProblem({ problem }: { problem: Problem }) {
  const { t } = useTranslation('Playground');
  const remedy = remedyOf(problem);
  const back = useBack();
  const session = useSession();
  const place = remedy && PLACES[remedy]?.(back);
  return (
    <Stack gap="xs">
      <ProblemView problem={problem} />
      {remedy === 'refill' && session.state === 'signed-in' && session.accountId !== null && (
        <WelcomeBonus session={session} accountId={session.accountId} />
      )}
      {remedy && <Text>{t(`remedy.${remedy}`, { feature: problem.args.feature ?? '' })}</Text>}
      {place && (
        <Anchor component={Link} to={place} w="fit-content">
          {t(`remedyPlace.${remedy}`)}
        </Anchor>
      )}
    </Stack>
  );
}
