import { screen, within } from '@testing-library/react';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Sessions } from '@/features/account/Sessions';
import { Decisions } from '@/features/monitoring/Decisions';
import { Changes } from '@/features/monitoring/group/Changes';
import { PredictConfigs } from '@/features/settings/PredictConfigs';
import { Domains } from '@/features/superadmin/Domains';
import { show } from '@/testing/render';
import { answers, signedIn } from '@/testing/server';

const NOW = new Date().toISOString();
const MODEL = '/api/mlpcore/account/9/model/counter';
const HAS = { milliCpu: 4000, ramMb: 8192, diskMb: 20_480, gpu: 0, vramMb: 0 };

interface Case {
  element: ReactElement;
  path: string;
  body: object;
  name: string;
  columns: string[];
  /** A fact of the only row. */
  fact: RegExp;
}

const LISTS: Record<string, Case> = {
  sessions: {
    element: <Sessions />,
    path: '/api/accountsadmin/c/sessions',
    body: [
      {
        id: 1,
        createdAt: NOW,
        lastSeenAt: NOW,
        expiresAt: NOW,
        address: '198.51.100.7',
        userAgent: 'curl/8.5',
        current: true,
      },
    ],
    name: 'Where you are signed in',
    columns: ['Program', 'Address', 'Last seen', 'Actions'],
    fact: /198\.51\.100\.7/,
  },
  decisions: {
    element: <Decisions account="9" model="counter" />,
    path: `${MODEL}/autoscaling/decisions`,
    body: [
      {
        id: 2,
        decidedAt: NOW,
        kind: 'SCALE_UP',
        reason: 'activeRequests',
        before: 1,
        after: 3,
        connected: 1,
        minInstances: 1,
        maxInstances: 5,
        scheduled: false,
        values: {},
        waiting: 0,
        unusedSeconds: 0,
        wanted: null,
        detail: null,
        causeAccountId: null,
      },
    ],
    name: 'Decisions of autoscaling',
    columns: ['When', 'Decision', 'Instances', 'Why', 'Measured, each instance'],
    fact: /1 → 3/,
  },
  changes: {
    element: <Changes account="9" groupName="mine" node={null} />,
    path: '/api/mlpcore/account/9/resource-groups/mine/capacity/logs/page',
    body: {
      content: [
        {
          recordId: 1,
          timestamp: NOW,
          level: 'INFO',
          code: 'CAPACITY_CHANGED',
          node: 's1',
          message: 'changed',
          args: { before: HAS, after: { ...HAS, milliCpu: 8000 } },
        },
      ],
      totalElements: 1,
      totalPages: 1,
      number: 0,
      size: 50,
    },
    name: 'Resource change history',
    columns: ['When', 'Server', 'CPU, cores'],
    fact: /4 → 8/,
  },
  domains: {
    element: <Domains />,
    path: '/api/accountsadmin/admin/domains',
    body: {
      domains: [{ domain: 'cloud.example.org', product: 'mlp', internalUserUiAvailable: false, ownerOnly: true }],
    },
    name: 'Domains',
    columns: ['Domain', 'Product', 'Staff works without an account', 'Owners only'],
    fact: /Owners only/,
  },
  configs: {
    element: <PredictConfigs account="9" model="counter" />,
    path: `${MODEL}/predict-config`,
    body: [{ id: { accountId: 9, modelId: 3, configId: 41 }, name: 'Strict', config: '{}', isDefault: true }],
    name: 'Predict configs',
    columns: ['Name', 'Id', 'Used', 'Actions'],
    fact: /41/,
  },
};

beforeEach(() => {
  signedIn();
  for (const { path, body } of Object.values(LISTS)) answers(path, body as never);
});

describe.each(Object.keys(LISTS))('the list of %s', (key) => {
  const { element, name, columns, fact } = LISTS[key] as Case;

  test('has a row of headings', async () => {
    show(element);
    const table = await screen.findByRole('table', { name });
    const headings = within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent);
    expect(headings).toEqual(expect.arrayContaining(columns));
    expect(headings).not.toContain('');
  });

  describe('on a phone', () => {
    beforeEach(() => {
      vi.spyOn(window, 'matchMedia').mockImplementation(
        (query) =>
          ({
            matches: true,
            media: query,
            addEventListener: () => undefined,
            removeEventListener: () => undefined,
          }) as unknown as MediaQueryList,
      );
    });
    afterEach(() => vi.mocked(window.matchMedia).mockRestore());

    test('is cards with the same facts, and no table that scrolls sideways', async () => {
      show(element);
      const card = within(await screen.findByRole('list', { name })).getByRole('listitem');
      expect(card).toHaveTextContent(fact);
      expect(screen.queryByRole('table')).toBeNull();
    });
  });
});
