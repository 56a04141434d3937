import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';

import { ModelCard } from '@/features/catalogue/ModelCard';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { signedIn } from '@/testing/server';

import { OwnerFacts } from './OwnerFacts';

const RECENT = { modelId: 3, calls: 1200, failedCalls: 4, amount: 0.0042, callsPerHour: [0, 1200] };
const MODEL = modelOf({
  instanceCounts: { connected: 1, expected: 2 },
  lastActivity: Date.now() - 120_000,
  callStatistics: { days: 30, medianLatencyMs: 120, successRate: 0.5, calls: 2, failedCalls: 1 },
});

beforeEach(() => signedIn());

test("a card of a service of one's own shows its instances and the last day", async () => {
  show(<ModelCard model={MODEL} taskName="Other" details={<OwnerFacts model={MODEL} recent={RECENT} />} />);
  const facts = await screen.findByRole('region', { name: 'The last 24 hours' });
  expect(facts).toHaveTextContent(/Instances1 \/ 2Calls in 24 h1.200Errors4Charged0\.0042\s₽Last call2 minutes ago/);
  expect(screen.getByRole('img', { name: /^Calls per hour in 24 hours: 1.200 in all$/ })).toBeVisible();
  expect(screen.queryByText(/successful/)).toBeNull();
});

test('a service that was never called says so', async () => {
  show(
    <OwnerFacts
      model={{ instanceCounts: { connected: 0, expected: 0 }, lastActivity: null }}
      recent={{ ...RECENT, calls: 0, failedCalls: 0, callsPerHour: [0, 0] }}
    />,
  );
  expect(await screen.findByText('none yet')).toBeVisible();
});
