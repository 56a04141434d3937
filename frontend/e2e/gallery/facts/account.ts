import { NOW } from '../samples.ts';
import { ago, type Fact, HOUR, type Row, records } from './base.ts';

const KEYS = [
  {
    token: 'mlp_7Qd…x2Fk',
    name: 'Production',
    expiresAt: null,
    permissions: ['predict'],
    allowedServices: null,
    requestLimit: 600,
    requestLimitPeriod: 'MINUTE',
    spendingLimits: [{ amount: 500, currency: 'RUBLE', period: 'DAY', availableImmediately: true }],
  },
  {
    token: 'mlp_b81…Pq0z',
    name: 'Notebook of Ada',
    permissions: ['predict', 'read'],
    requestLimit: null,
    spendingLimits: [],
  },
  {
    token: 'mlp_0ff…a9Lm',
    name: 'Deployment pipeline',
    permissions: ['predict', 'read', 'write'],
    requestLimit: null,
    spendingLimits: [],
  },
  {
    token: 'mlp_c3d…7Jwe',
    name: 'Old demo',
    permissions: ['predict'],
    expiresAt: ago(9 * 24 * HOUR),
    requestLimit: null,
    spendingLimits: [],
  },
];
const NO_LIMITS = {
  allowedLlms: null,
  maxLifetime: null,
  maxRequestSize: null,
  expenseLimit: null,
  maxPricePerCall: null,
  notificationEmails: [],
  allowedOrigins: [],
  temporary: false,
};

const FEATURES = [
  'mlp.model_admin',
  'mlp.public_model_admin',
  'mlp.container_additional_flags',
  'mlp.shared_pool_admin',
  'mlp.test_form',
  'mlp_billing.no_blocking',
];
/** What an audit log of an account is like. */
const RECORDED: readonly Row[] = [
  { kind: 'MEMBERSHIP_CHANGED', userId: 2, login: null, details: { roles: 'MLP_DEVELOPER' } },
  { kind: 'INVITATION_CREATED', userId: null, login: 'grace@example.org', details: { roles: 'MLP_USER' } },
  { kind: 'ACCOUNT_CHANGED', userId: null, login: null, details: { display_name: 'Acme Research' } },
  {
    kind: 'ACCOUNT_CHANGED',
    userId: null,
    login: null,
    details: { active: 'False', reason: 'The invoice 4812 is not paid since August' },
  },
  { kind: 'ACCOUNT_CREATED', userId: 1, login: null, details: {} },
];
/** What changes of its limits, features and networks are like. */
const CHANGED: readonly Row[] = [
  {
    kind: 'LIMITS_CHANGED',
    reason: 'Contract 17/4 of November',
    details: { predictPerSec: { before: 10, after: 50 }, memoryLimit: { before: '8Gi', after: '64Gi' } },
  },
  {
    kind: 'FEATURES_CHANGED',
    reason: 'Asked for it in the request 31',
    details: { 'mlp.public_model_admin': { before: false, after: true } },
  },
  {
    kind: 'NETWORKS_CHANGED',
    reason: 'Calls from their office alone',
    details: { whiteList: { before: '', after: '203.0.113.0/24, 198.51.100.7/32' } },
  },
  {
    kind: 'FEATURES_CHANGED',
    reason: null,
    actorUserId: null,
    actorLogin: null,
    details: { 'mlp.model_admin': { before: false, after: true } },
  },
];

const chosen = (event: string, shown: boolean, mailed: boolean): Row => ({ event, shown, mailed });
const CHOSEN: readonly Row[] = [
  chosen('SERVICE_ERRORS', true, true),
  chosen('SERVICE_RESTART', true, false),
  chosen('INSTANCE_START_AND_STOP', false, false),
  chosen('INSTANCE_EVICTION', true, false),
  chosen('SERVER_ERRORS', true, true),
  chosen('ACCOUNT', true, false),
];

export const FACTS: readonly Fact[] = [
  [
    /\/token$/,
    (body: Row[]) =>
      body.map((row, at) => ({
        ...row,
        ...NO_LIMITS,
        allowedServices: null,
        expiresAt: new Date(NOW + (at + 1) * 20 * 24 * HOUR).toISOString(),
        creationDate: ago((at + 1) * 9 * 24 * HOUR),
        ...KEYS[at % KEYS.length],
        ...(at >= KEYS.length ? { token: `mlp_${at}…x2Fk`, name: `${KEYS[at % KEYS.length]?.name} ${at}` } : {}),
      })),
  ],
  [
    /\/notification\/settings$/,
    (body: Row) => ({ ...body, events: CHOSEN, address: 'ada@example.org', mailRefusal: null }),
  ],
  [
    /\/c\/sessions$/,
    (body: Row[]) =>
      body.map((row, at) => ({
        ...row,
        current: at === 0,
        address: `198.51.100.${at + 7}`,
        userAgent: [
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
          'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1',
        ][at % 2],
      })),
  ],
  [
    /\/mlpcore\/(admin\/)?account\/[^/]+$/,
    (body: Row) => ({
      ...body,
      shortName: 'acme',
      displayName: 'Acme Research',
      limits: {
        baseModelInstanceLimit: 10,
        derivedModelInstanceLimit: 4,
        gpuModelInstanceLimit: 2,
        cpuLimit: '16',
        memoryLimit: '64Gi',
        ephemeralDiskLimit: '200Gi',
        predictPerSec: 50,
        fitPerMinute: 2,
        storageLimit: '100Gi',
      },
    }),
  ],
  [/\/admin\/account\/[^/]+\/features$/, () => ({ features: FEATURES.map((name, at) => ({ name, enabled: at < 2 })) })],
  [
    /\/admin\/account\/[^/]+\/changes$/,
    (body: { records: Row[]; paging: Row }, state) =>
      records(body, state, (row, at) => ({
        ...row,
        actorUserId: 1,
        ...CHANGED[at % CHANGED.length],
        occurredAt: ago((at + 1) * 47 * HOUR),
      })),
  ],
  [
    /\/admin\/audit$/,
    (body: { records: Row[]; paging: Row }, state) =>
      records(body, state, (row, at) => ({
        ...row,
        ...RECORDED[at % RECORDED.length],
        occurredAt: ago((at + 1) * 31 * HOUR),
        address: `198.51.100.${at + 7}`,
        actorUserId: 1,
      })),
  ],
  [/\/account-invitation\/get-by-user$/, (body: Row[]) => body.slice(0, 1)],
];
