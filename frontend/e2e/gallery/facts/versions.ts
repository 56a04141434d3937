import { ago, type Fact, HOUR, records, type Row } from './base.ts';

const changed = (field: string, before: unknown, after: unknown): Row => ({
  field,
  hidden: false,
  before,
  after,
  beforeLength: null,
  afterLength: null,
});
const hidden = (field: string): Row => ({ ...changed(field, null, null), hidden: true });
/** What versions of a service are like. */
const VERSIONS: readonly Row[] = [
  {
    kind: 'SETTINGS_CHANGED',
    author: 'ada@example.org',
    changes: [
      changed('resourceLimits.memoryLimit', '2Gi', '4Gi'),
      changed('timeouts.predictTimeoutSec', 30, 60),
      hidden('env.LOG_LEVEL'),
    ],
  },
  {
    kind: 'PRICE_CHANGED',
    author: 'ada@example.org',
    changes: [
      changed('billingSettings.isBillingEnabled', false, true),
      changed('billingSettings.billingUnitPriceInCurrency', null, '0.4'),
    ],
  },
  {
    kind: 'RESTORED',
    author: 'API key Deployment pipeline',
    restoredVersion: 1,
    changes: [
      changed(
        'config',
        '{"threshold": 0.8, "labels": ["PER", "LOC", "ORG"], "merge": true, "language": "ru", "batch": 16}',
        '{"threshold": 0.5}',
      ),
    ],
  },
  { kind: 'MOVED', author: null, changes: [changed('resourceGroup', 'old', 'main')] },
  { kind: 'CREATED', author: 'grace@example.org', changes: [] },
];
const versioned = (row: Row, at: number, last: number): Row => ({
  ...row,
  restoredVersion: null,
  ...VERSIONS[at % VERSIONS.length],
  version: last - at,
  occurredAt: ago((at + 1) * 29 * HOUR),
});

export const FACTS: readonly Fact[] = [
  [
    /\/versions$/,
    (body: { records: Row[]; paging: Row }, state) =>
      records(body, state, (row, at) => versioned(row, at, state === 'crowded' ? 1240 : body.records.length)),
  ],
  [
    /\/versions\/\d+$/,
    (body: Row) => ({
      ...versioned(body, 1, 3),
      restoring: [
        changed('resourceLimits.memoryLimit', '4Gi', '2Gi'),
        changed('hostingType', 'AUTOMATIC', 'HOSTING_SERVER'),
      ],
    }),
  ],
];
