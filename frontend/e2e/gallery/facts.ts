import { NOW, type State } from './samples.ts';

type Row = Record<string, unknown>;
type Change = (body: never, state: State) => unknown;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 30;
const ago = (ms: number) => new Date(NOW - ms).toISOString();
/** Repeats without being periodic at sight. Between 0 and 1. */
const wave = (at: number, shift = 0) => (Math.sin(at / 3.1 + shift) + Math.sin(at / 1.7 + 2 * shift) + 2) / 4;

/** A start that was requested so many seconds ago. */
const startOf = (phase: string, seconds: number, usualSeconds: number) => ({ phase, since: ago(seconds * 1000), usualSeconds });

interface Service {
  name: string;
  title: string;
  promise: string;
  task: string;
  languages: string[];
  price: number;
  latency: number | null;
  state: string;
  start: number;
}

/** What the services of a catalogue are like. */
const SERVICES: readonly Service[] = [
  { name: 'ner-ru', title: 'Names in news', promise: 'Finds people, places and companies in a text, and says where each of them begins and ends.', task: 'ner', languages: ['ru', 'en'], price: 0.4, latency: 86, state: 'RUNNING', start: 12 },
  { name: 'whisper-large', title: 'Speech to text', promise: 'Turns a recording into text, with the time of each word.', task: 'asr', languages: ['ru', 'en', 'de', 'fr', 'kk'], price: 1.2, latency: 1840, state: 'SLEEPING', start: 40 },
  { name: 'sbert-large', title: 'Similar sentences', promise: 'Vectors for search and comparison of sentences.', task: 'text2vec', languages: ['ru'], price: 0.05, latency: 31, state: 'RUNNING', start: 20 },
  { name: 'tone', title: 'Tone of a review', promise: 'Positive, neutral or negative, with a probability.', task: 'text-classification', languages: ['ru', 'en'], price: 0, latency: 44, state: 'STARTING', start: 25 },
];

function served(model: Row, at: number, state: State): Row {
  const { title, promise, languages, price, latency, start, ...service } = SERVICES[at % SERVICES.length] as Service;
  const round = Math.floor(at / SERVICES.length);
  const long = state === 'crowded' && at % 5 === 1 ? ' with a name that is much longer than the place that anyone had in mind for it' : '';
  return {
    ...model,
    ...nothingElse,
    modelName: round > 0 ? `${service.name}-${round}` : service.name,
    modelAccountName: at % 3 === 2 ? 'north-lab' : 'acme',
    modelAccountDisplayName: 'Acme',
    displayAuthor: 'Acme',
    displayName: title + (round > 0 ? ` ${round}` : '') + long,
    shortDescription: promise + long,
    taskType: service.task,
    state: service.state,
    languages,
    startTimeSec: start,
    waitsForServer: false,
    start: service.state === 'STARTING' ? startOf('PREPARING', 18, start) : null,
    measuredStartTimeSec: start,
    lastActivity: NOW - (at + 1) * 7 * MINUTE,
    favorite: at % 3 === 0,
    callStatistics: latency === null ? null : { days: 30, medianLatencyMs: latency, successRate: 0.998 - at * 0.0031, calls: 48_210, failedCalls: 96 },
    billingSettings: { ...(model['billingSettings'] as Row), isBillingEnabled: price > 0, billingUnit: at % 2 === 0 ? 'calls' : 'custom', billingUnitPriceInCurrency: price, maxPriceInCurrency: null, freeUnitQuota: at === 0 ? 100 : 0, currency: 'RUBLE' },
    publicSettings: { ...(model['publicSettings'] as Row), visitorCallsPerDay: 20, showPersonalDataDisclaimer: false },
    timeouts: { podStartTimeoutSec: 300, predictTimeoutSec: 60, fitTimeoutSec: 3600 },
    resourceLimits: { ...(model['resourceLimits'] as Row), cpuRequest: '2', memoryLimit: '4Gi', ephemeralDiskLimit: '10Gi', gpuRequested: false, gpuModels: [], serverLabels: {} },
    instanceCounts: service.state === 'RUNNING' ? { connected: 2, expected: 2 } : { connected: 0, expected: service.state === 'STARTING' ? 1 : 0 },
  };
}

/** Most services are not made of others, hold no files and have no own page. */
const nothingElse: Row = {
  composite: false, prototype: false, fittable: false, trainingModelId: null, trainingModelName: null, trainingDatasetId: null, trainingDatasetType: null, config: '{"threshold": 0.5}', env: '{"LOG_LEVEL": "info"}', secretEnv: {}, additionalFlags: [],
  persistentVolumes: [{ pvId: 1, mountPath: '/data', sizeInGb: 10, storageClass: 'standard' }], dataImageMounts: [{ dmId: 1, dataImageAccountId: 1, dataImageId: 1, dataImage: 'registry.example.org/acme/ner-weights:1.4.2', dataImageName: 'ner-ru', sourcePath: '/models', targetPath: '/models' }], aliases: [], protocols: ['http', 'grpc'], httpSettings: { isHttpEnabled: false, httpPort: 8080, mainPageEndpoint: '/', httpInterfaceOnly: false }, modelAuthorCompany: 'Acme Research', resourceGroup: 'main',
  image: { id: { accountId: 1, imageId: 1 }, name: 'ner', imageAccountName: 'acme', image: 'registry.example.org/acme/ner:1.4.2', accessMode: 'private' },
};

const records = (body: { records: Row[]; paging: Row }, state: State, each: (row: Row, at: number) => Row) => ({
  paging: state === 'crowded' ? { totalElements: 1240, totalPages: 62, pageNumber: 0, pageSize: 20 } : { totalElements: body.records.length, totalPages: 1, pageNumber: 0, pageSize: 20 },
  records: body.records.map(each),
});

const models: Change = (body: { records: Row[]; paging: Row }, state) => records(body, state, (row, at) => served(row, at, state));

/** Two weeks of a service that sleeps at night. */
const callPoints = () => Array.from({ length: 48 }, (_, at) => {
  const calls = Math.round(20 + 180 * wave(at));
  return { timestamp: NOW - (48 - at) * 1_800_000, calls, failedCalls: at % 17 === 5 ? 4 : 0, medianLatencyMs: Math.round(70 + 30 * wave(at, 1)), p95LatencyMs: Math.round(160 + 120 * wave(at, 2)), amount: calls * 0.4 };
});

const A_DAY = [38, 21, 9, 14];
const ITEMS = ['ner-ru', 'whisper-large', 'sbert-large', 'main'];

const sum = (rows: { amount: string }[]) => rows.reduce((total, { amount }) => total + Number(amount), 0).toFixed(2);

function statement(body: Row, state: State) {
  if (state === 'empty') return { ...body, first: ago(29 * 24 * HOUR).slice(0, 10), last: ago(0).slice(0, 10), currency: 'RUBLE', total: '0.00', days: [], items: [], balanceChange: { opening: '0.00', calls: '0.00', hosting: '0.00', refills: '0.00', bonuses: '0.00', fromIncome: '0.00', closing: '0.00' } };
  const scale = state === 'crowded' ? 48_000 : 1;
  const spent = (item: number, day: number) => Math.round(100 * scale * wave(day, item) * (A_DAY[item % A_DAY.length] ?? 0)) / 100;
  const items = state === 'crowded' ? [...ITEMS, ...ITEMS.map((name) => `${name}-with-a-long-name-of-a-second-region`)] : ITEMS;
  const days = Array.from({ length: DAYS }, (_, day) => items.map((_item, item) => ({ day: ago((DAYS - day - 1) * 24 * HOUR).slice(0, 10), item, callsCount: Math.round(wave(day, item) * 900), amount: spent(item, day).toFixed(2) }))).flat();
  const total = sum(days);
  return {
    ...body, first: days[0]?.day, last: days.at(-1)?.day, currency: 'RUBLE', total, days,
    items: items.map((name, item) => ({ kind: name.startsWith('main') ? 'RESOURCE_GROUP' : 'MODEL', id: item + 1, accountId: 1, accountName: 'acme', name, callsCount: days.filter((row) => row.item === item).reduce((count, row) => count + row.callsCount, 0), amount: sum(days.filter((row) => row.item === item)) })),
    balanceChange: { opening: '3480.10', calls: `-${total}`, hosting: '-420.00', refills: '2000.00', bonuses: '100.00', fromIncome: '0.00', closing: '1234.50' },
  };
}

const KEYS = [
  { token: 'mlp_7Qd…x2Fk', name: 'Production', expiresAt: null, permissions: ['predict'], allowedServices: null, requestLimit: 600, requestLimitPeriod: 'MINUTE', spendingLimits: [{ amount: 500, currency: 'RUBLE', period: 'DAY', availableImmediately: true }] },
  { token: 'mlp_b81…Pq0z', name: 'Notebook of Ada', permissions: ['predict', 'read'], requestLimit: null, spendingLimits: [] },
  { token: 'mlp_0ff…a9Lm', name: 'Deployment pipeline', permissions: ['predict', 'read', 'write'], requestLimit: null, spendingLimits: [] },
  { token: 'mlp_c3d…7Jwe', name: 'Old demo', permissions: ['predict'], expiresAt: ago(9 * 24 * HOUR), requestLimit: null, spendingLimits: [] },
];
const NO_LIMITS = { allowedLlms: null, maxLifetime: null, maxRequestSize: null, expenseLimit: null, maxPricePerCall: null, notificationEmails: [], allowedOrigins: [], temporary: false };

/** One of each state, in the order in which they matter. */
const JOBS: readonly Row[] = [
  { operation: 'RUN', operatedEntityName: 'ner-ru', persistentJobStatus: 'RUN', viewStatus: 'RUN', percentage: 62, step: 'pulling', currentStep: 'pulling', runAt: ago(48_000), endTime: null, errorMessage: null, isInterruptible: true, interrupted: false },
  { operation: 'FIT', operatedEntityName: 'tone', persistentJobStatus: 'IDLE', viewStatus: 'IDLE', percentage: 0, step: 'waiting', currentStep: 'waiting', runAt: ago(12_000), endTime: null, errorMessage: null, isInterruptible: true, interrupted: false },
  { operation: 'SCALE_UP', operatedEntityName: 'whisper-large', persistentJobStatus: 'FAILED', viewStatus: 'FAILED', percentage: 35, step: 'starting', currentStep: 'starting', runAt: ago(25 * MINUTE), endTime: ago(21 * MINUTE), isInterruptible: false, interrupted: false },
  { operation: 'RUN', operatedEntityName: 'sbert-large', persistentJobStatus: 'COMPLETED', viewStatus: 'COMPLETED', percentage: 100, step: null, currentStep: null, runAt: ago(3 * HOUR), endTime: ago(3 * HOUR - 41_000), errorMessage: null, isInterruptible: false, interrupted: false },
];

/** Folders and objects of a bucket; with long names where there are many. */
function bucketed(body: { folders: Row[]; objects: Row[] }, state: State) {
  const long = state === 'crowded' ? '-with-a-name-that-is-much-longer-than-the-place-that-anyone-had-in-mind-for-it' : '';
  const folders = body.folders.slice(0, state === 'crowded' ? 12 : 2).map((_row, at) => `${['raw', 'models', 'exports'][at % 3]}-${at + 1}${at % 5 === 1 ? long : ''}`);
  const objects = body.objects.map((_row, at) => `${['readme.md', 'reviews.csv', 'weights.safetensors', 'voices.tar.gz'][at % 4]}${at > 3 ? `.${at}` : ''}${at % 7 === 2 ? long : ''}`);
  return {
    bucketName: 'acme-1', prefix: '', next: state === 'crowded' ? objects.at(-1) : null,
    folders: folders.map((name) => ({ name, prefix: `${name}/` })),
    objects: objects.map((name, at) => ({ key: name, name, size: 1843 * 37 ** (at % 4), modified: ago((at + 1) * 5 * HOUR), etag: 'e', contentType: 'text/plain' })),
  };
}

const LOG = Array.from({ length: 60 }, (_, at) => `${ago((60 - at) * 9000)} ${at % 13 === 7 ? 'WARNING' : at === 41 ? 'ERROR' : 'INFO'} ${['model loaded in 3.4 s', 'POST /predict 200 84 ms', 'POST /predict 200 91 ms, 2 texts', 'queue is empty'][at % 4]}`).join('\n');
const GIB = 1024;
const NO_ROOM: Row = { reason: 'NotEnoughRoom', message: null, details: { servers: 3, lacking: [{ what: 'memory', servers: 2, missing: 2 * GIB }, { what: 'heartbeat', servers: 1, missing: 0 }], limit: null } };
const host = (part: number) => ({ milliCpu: 32_000 * part, ramMb: 256 * GIB * part, diskMb: 1800 * GIB * part, gpu: 2 * part, vramMb: 160 * GIB * part });
const rounded = (facts: Record<string, number>) => Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, Math.round(value)]));

const FEATURES = ['mlp.model_admin', 'mlp.public_model_admin', 'mlp.container_additional_flags', 'mlp.shared_pool_admin', 'mlp.test_form', 'mlp_billing.no_blocking'];
/** What an audit log of an account is like. */
const RECORDED: readonly Row[] = [
  { kind: 'MEMBERSHIP_CHANGED', userId: 2, login: null, details: { roles: 'MLP_DEVELOPER' } },
  { kind: 'INVITATION_CREATED', userId: null, login: 'grace@example.org', details: { roles: 'MLP_USER' } },
  { kind: 'ACCOUNT_CHANGED', userId: null, login: null, details: { display_name: 'Acme Research' } },
  { kind: 'ACCOUNT_CHANGED', userId: null, login: null, details: { active: 'False', reason: 'The invoice 4812 is not paid since August' } },
  { kind: 'ACCOUNT_CREATED', userId: 1, login: null, details: {} },
];
/** What changes of its limits, features and networks are like. */
const CHANGED: readonly Row[] = [
  { kind: 'LIMITS_CHANGED', reason: 'Contract 17/4 of November', details: { predictPerSec: { before: 10, after: 50 }, memoryLimit: { before: '8Gi', after: '64Gi' } } },
  { kind: 'FEATURES_CHANGED', reason: 'Asked for it in the request 31', details: { 'mlp.public_model_admin': { before: false, after: true } } },
  { kind: 'NETWORKS_CHANGED', reason: 'Calls from their office alone', details: { whiteList: { before: '', after: '203.0.113.0/24, 198.51.100.7/32' } } },
  { kind: 'FEATURES_CHANGED', reason: null, actorUserId: null, actorLogin: null, details: { 'mlp.model_admin': { before: false, after: true } } },
];

const changed = (field: string, before: unknown, after: unknown): Row => ({ field, hidden: false, before, after, beforeLength: null, afterLength: null });
const hidden = (field: string): Row => ({ ...changed(field, null, null), hidden: true });
/** What versions of a service are like. */
const VERSIONS: readonly Row[] = [
  { kind: 'SETTINGS_CHANGED', author: 'ada@example.org', changes: [changed('resourceLimits.memoryLimit', '2Gi', '4Gi'), changed('timeouts.predictTimeoutSec', 30, 60), hidden('env.LOG_LEVEL')] },
  { kind: 'PRICE_CHANGED', author: 'ada@example.org', changes: [changed('billingSettings.isBillingEnabled', false, true), changed('billingSettings.billingUnitPriceInCurrency', null, '0.4')] },
  { kind: 'RESTORED', author: 'API key Deployment pipeline', restoredVersion: 1, changes: [changed('config', '{"threshold": 0.8, "labels": ["PER", "LOC", "ORG"], "merge": true, "language": "ru", "batch": 16}', '{"threshold": 0.5}')] },
  { kind: 'MOVED', author: null, changes: [changed('resourceGroup', 'old', 'main')] },
  { kind: 'CREATED', author: 'grace@example.org', changes: [] },
];
const versioned = (row: Row, at: number, last: number): Row => ({ ...row, restoredVersion: null, ...VERSIONS[at % VERSIONS.length], version: last - at, occurredAt: ago((at + 1) * 29 * HOUR) });

const chosen = (event: string, shown: boolean, mailed: boolean): Row => ({ event, shown, mailed });
const CHOSEN: readonly Row[] = [chosen('SERVICE_ERRORS', true, true), chosen('SERVICE_RESTART', true, false), chosen('INSTANCE_START_AND_STOP', false, false), chosen('INSTANCE_EVICTION', true, false), chosen('SERVER_ERRORS', true, true), chosen('ACCOUNT', true, false)];

/** Answers that only make sense together or in a certain size: what the schema alone does not say. The first that fits the path is used. */
const FACTS: readonly [RegExp, Change][] = [
  [/\/models\/featured$/, (body: Row[], state) => body.slice(0, 3).map((row, at) => served(row, at, state))],
  [/\/(models|model)$/, models],
  [/\/model\/[^/]+$/, (body: Row, state) => ({ ...served(body, 0, state), id: { accountId: 1, modelId: 1 } })],
  [/\/notification\/settings$/, (body: Row) => ({ ...body, events: CHOSEN, address: 'ada@example.org', mailRefusal: null })],
  [/\/versions$/, (body: { records: Row[]; paging: Row }, state) => records(body, state, (row, at) => versioned(row, at, state === 'crowded' ? 1240 : body.records.length))],
  [/\/versions\/\d+$/, (body: Row) => ({ ...versioned(body, 1, 3), restoring: [changed('resourceLimits.memoryLimit', '4Gi', '2Gi'), changed('hostingType', 'AUTOMATIC', 'HOSTING_SERVER')] })],
  [/\/catalog-category$/, (_body, state) => ({ categories: SERVICES.map(({ task }, at) => ({ taskTypeName: task, modelsCount: state === 'crowded' ? 240 - at * 31 : 1 })) })],
  [/\/task-types$/, (body: Row[]) => body.slice(0, SERVICES.length).map((row, at) => ({ ...row, name: SERVICES[at % SERVICES.length]?.task, displayName: SERVICES[at % SERVICES.length]?.task }))],
  [/\/model\/[^/]+\/call-statistics$/, (body: Row) => ({ ...body, stepSec: 1800, points: callPoints(), total: { timestamp: NOW, calls: 5210, failedCalls: 12, medianLatencyMs: 84, p95LatencyMs: 231, amount: 2084 } })],
  [/\/call-statistics$/, (body: Row[]) => body.map((row, at) => ({ ...row, calls: 5210 >> at, failedCalls: at === 1 ? 12 : 0, amount: 2084 / (at + 1), callsPerHour: Array.from({ length: 24 }, (_, hour) => Math.round(300 * wave(hour, at))) }))],
  [/\/example$/, (body: Row[]) => body.slice(0, 2).map((row, at) => ({ ...row, name: ['News', 'A company'][at], request: JSON.stringify({ texts: [['Ada Lovelace met Charles Babbage in London.', 'Яндекс открыл офис в Казани.'][at]] }), answer: JSON.stringify(ANSWER) }))],
  [/\/predict-config$/, (body: Row[]) => body.slice(0, 2).map((row, at) => ({ ...row, name: ['Strict', 'Everything'][at], isDefault: at === 0, config: `{"threshold": ${at === 0 ? 0.8 : 0.1}}` }))],
  [/\/simple-doc$/, () => '# What it does\n\nFinds **people**, **places** and **companies**.\n\n| label | meaning |\n|---|---|\n| PER | a person |\n| LOC | a place |\n\n```json\n{"texts": ["Ada lives in London."]}\n```\n'],
  [/\/instance$/, (body: { instances: Row[] }) => ({ instances: body.instances.slice(0, 3).map((row, at) => ({ ...row, name: `ner-ru-${at + 1}`, serverName: ['gpu-01', 'gpu-02', null][at], restartCount: at === 1 ? 2 : 0, instanceHostingType: 'hostingServer', purpose: 'serve', createdTimestamp: ago((at + 1) * 5 * HOUR), waiting: at === 2 ? NO_ROOM : null, start: [null, startOf('CONNECTING', 9, 12), startOf('WAITING_FOR_SERVER', 240, 12)][at], statusInfo: { ...(row['statusInfo'] as Row), totalStatus: ['RUNNING', 'WAITING', 'WAITING'][at] } })) })],
  [/\/model\/[^/]+\/status$/, (body: Row, state) => ({ ...body, ...(state === 'crowded' ? { state: 'STARTING', waiting: NO_ROOM, start: startOf('CONNECTING', 9, 12) } : { waiting: null, start: null }), startTimeSeconds: 12 })],
  [/\/instances$/, () => ({ internalRequested: 0, internalActive: 0, internalInError: 0, hostingServerRequested: 2, hostingServerActive: 2, externalRequested: 0 })],
  [/\/logs\/tail$/, () => ({ run: 'one', start: 0, end: LOG.length, text: LOG })],
  [/\/environment$/, () => ({ environment: { LOG_LEVEL: 'info', MODEL_PATH: '/models/ner', WORKERS: '4' } })],
  [/\/token$/, (body: Row[]) => body.map((row, at) => ({ ...row, ...NO_LIMITS, allowedServices: null, expiresAt: new Date(NOW + (at + 1) * 20 * 24 * HOUR).toISOString(), creationDate: ago((at + 1) * 9 * 24 * HOUR), ...KEYS[at % KEYS.length], ...(at >= KEYS.length ? { token: `mlp_${at}…x2Fk`, name: `${KEYS[at % KEYS.length]?.name} ${at}` } : {}) }))],
  [/\/statement$/, statement],
  [/\/balance\/forecast$/, (body: Row) => ({ ...body, calls: '82.10', hosting: '14.00', perDay: '96.10', enoughForDays: 12 })],
  [/\/refill\/history$/, (body: Row[]) => body.map((row, at) => ({ ...row, currency: 'RUBLE', amountCurrency: 500 * (1 + (at % 4)) }))],
  [/\/balance$/, (body: Row) => ({ ...body, belowZeroSince: null, balances: [{ currency: 'RUBLE', mainNano: 1_234_500_000_000, incomeNano: 0, heldNano: 0 }] })],
  [/\/task\/short$/, (body: Row[]) => body.map((row, at) => ({ ...row, children: [], waitFor: [], ...JOBS[at % JOBS.length], ...(at % JOBS.length === 2 ? { errorMessage: row['errorMessage'] } : {}) }))],
  [/\/account\/[^/]+\/storage$/, () => ({ limitBytes: 5e9, usedBytes: 1.62e9, kinds: [{ kind: 'predictions', bytes: 4.2e8, items: 1830 }, { kind: 'answers', bytes: 1.1e8, items: 412 }, { kind: 'archive', bytes: 1.09e9, items: 9120 }], setting: { predictionHours: 24, answerHours: null, archiveHours: 720 }, kept: { predictionHours: 24, answerHours: 24, archiveHours: 720 } })],
  [/\/s3$/, () => ({ s3Url: 'https://s3.example.org', accessKey: 'MLP7QDX2FKB81PQ0Z0FF', secretKey: 'c3d7JweA9Lm/x2FkPq0z+b81Qd7c3d7JweA9Lmx2', bucketName: 'acme-1' })],
  [/\/s3\/object$/, bucketed],
  [/\/s3\/storage$/, (_body, state) => (state === 'empty' ? { limitBytes: 5e9, usedBytes: 0, bucketBytes: 0, datasetBytes: 0, objects: 0 } : { limitBytes: 5e9, usedBytes: state === 'crowded' ? 5e9 : 1.62e9, bucketBytes: state === 'crowded' ? 4.8e9 : 1.38e9, datasetBytes: state === 'crowded' ? 2e8 : 2.4e8, objects: state === 'crowded' ? 18_240 : 42 })],
  [/\/capacity$/, (body: { servers: Row[] }) => ({ ...body, ...rounded(host(3)), gpuModels: ['A100 80GB'], nodes: [], vramMbOld: 0, allocated: rounded(host(1.7)), free: rounded(host(1.3)), servers: body.servers.slice(0, 3).map((row, at) => ({ ...row, name: `gpu-0${at + 1}`, status: ['RUNNING', 'RUNNING', 'STARTING'][at], instances: 3 - at, maxInstances: 8, capacity: rounded(host(1)), allocated: rounded(host([0.9, 0.6, 0.2][at] ?? 0)), used: rounded(host([0.5, 0.4][at] ?? 0)), gpus: [] })) })],
  [/\/server\/status$/, (body: Row[]) => body.slice(0, 3).map((row, at) => ({ ...row, name: `gpu-0${at + 1}`, serverIp: `10.0.0.${at + 4}`, jumpHostIp: null, description: at === 0 ? 'Rack 4, bought in March' : null, status: ['RUNNING', 'RUNNING', 'STARTING'][at], resources: { cpu: '32', memory: '256Gi', disk: '1800Gi', gpuModels: ['A100 80GB', 'A100 80GB'] }, isTemporary: at === 2, expiresAt: at === 2 ? new Date(NOW + 9 * HOUR).toISOString() : null, timeLeftSeconds: at === 2 ? 32_400 : null })) ],
  [/\/ledger\/verification$/, (body: Row) => ({ ...body, drifts: [], unbalancedTransactions: 0 })],
  [/\/c\/sessions$/, (body: Row[]) => body.map((row, at) => ({ ...row, current: at === 0, address: `198.51.100.${at + 7}`, userAgent: ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1'][at % 2] }))],
  [/\/archive$/, (body: { records: Row[]; paging: Row }, state) => records(body, state, (row, at) => ({ ...row, requestId: `7f3c0a52b1${at}`, operation: 'predict', status: at % 9 === 3 ? 503 : 200, errorCode: at % 9 === 3 ? 'mlp.gate.no_instance' : null, requestBytes: 812, answerBytes: 1930, durationMs: 84 + at, keyId: null }))],
  [/\/statement\/calls$/, (body: { records: Row[]; paging: Row }, state) => ({ ...body, ...records(body, state, (row, at) => ({ ...row, date: ago(at * 9 * MINUTE), requestId: `7f3c0a52b1${at}`, operation: 'predict', modelName: ITEMS[at % 3], units: 1, amount: '0.40' })) })],
  [/\/mlpcore\/(admin\/)?account\/[^/]+$/, (body: Row) => ({ ...body, shortName: 'acme', displayName: 'Acme Research', limits: { baseModelInstanceLimit: 10, derivedModelInstanceLimit: 4, gpuModelInstanceLimit: 2, cpuLimit: '16', memoryLimit: '64Gi', ephemeralDiskLimit: '200Gi', predictPerSec: 50, fitPerMinute: 2, storageLimit: '100Gi' } })],
  [/\/admin\/account\/[^/]+\/features$/, () => ({ features: FEATURES.map((name, at) => ({ name, enabled: at < 2 })) })],
  [/\/admin\/account\/[^/]+\/changes$/, (body: { records: Row[]; paging: Row }, state) => records(body, state, (row, at) => ({ ...row, actorUserId: 1, ...CHANGED[at % CHANGED.length], occurredAt: ago((at + 1) * 47 * HOUR) }))],
  [/\/admin\/audit$/, (body: { records: Row[]; paging: Row }, state) => records(body, state, (row, at) => ({ ...row, ...RECORDED[at % RECORDED.length], occurredAt: ago((at + 1) * 31 * HOUR), address: `198.51.100.${at + 7}`, actorUserId: 1 }))],
  [/\/account-invitation\/get-by-user$/, (body: Row[]) => body.slice(0, 1)],
];

/** What a service of names answers. */
export const ANSWER = {
  entities_list: [{ entities: [
    { entity_type: 'PER', entity: 'Ada Lovelace', value: 'Ada Lovelace', span: { start_index: 0, end_index: 12 }, source_type: null },
    { entity_type: 'PER', entity: 'Charles Babbage', value: 'Charles Babbage', span: { start_index: 17, end_index: 32 }, source_type: null },
    { entity_type: 'LOC', entity: 'London', value: 'London', span: { start_index: 36, end_index: 42 }, source_type: null },
  ] }],
};

/** The made-up answer to a path, changed where the made-up one would be nonsense. */
export function refined(path: string, body: unknown, state: State): unknown {
  if (state === 'empty' && !EVEN_IF_EMPTY.test(path)) return body;
  const change = FACTS.find(([pattern]) => pattern.test(path))?.[1];
  return change ? change(body as never, state) : body;
}

/** A service's page exists only with the service. */
const EVEN_IF_EMPTY = /\/(model\/[^/]+|statement|storage|mlpcore\/(admin\/)?account\/[^/]+)$/;
