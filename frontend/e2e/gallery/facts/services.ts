import { NOW, type State } from '../samples.ts';
import { type Change, type Fact, MINUTE, records, type Row, startOf } from './base.ts';

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
  {
    name: 'ner-ru',
    title: 'Names in news',
    promise: 'Finds people, places and companies in a text, and says where each of them begins and ends.',
    task: 'ner',
    languages: ['ru', 'en'],
    price: 0.4,
    latency: 86,
    state: 'RUNNING',
    start: 12,
  },
  {
    name: 'whisper-large',
    title: 'Speech to text',
    promise: 'Turns a recording into text, with the time of each word.',
    task: 'asr',
    languages: ['ru', 'en', 'de', 'fr', 'kk'],
    price: 1.2,
    latency: 1840,
    state: 'SLEEPING',
    start: 40,
  },
  {
    name: 'sbert-large',
    title: 'Similar sentences',
    promise: 'Vectors for search and comparison of sentences.',
    task: 'text2vec',
    languages: ['ru'],
    price: 0.05,
    latency: 31,
    state: 'RUNNING',
    start: 20,
  },
  {
    name: 'tone',
    title: 'Tone of a review',
    promise: 'Positive, neutral or negative, with a probability.',
    task: 'text-classification',
    languages: ['ru', 'en'],
    price: 0,
    latency: 44,
    state: 'STARTING',
    start: 25,
  },
];

function served(model: Row, at: number, state: State): Row {
  const { title, promise, languages, price, latency, start, ...service } = SERVICES[at % SERVICES.length] as Service;
  const round = Math.floor(at / SERVICES.length);
  const long =
    state === 'crowded' && at % 5 === 1
      ? ' with a name that is much longer than the place that anyone had in mind for it'
      : '';
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
    callStatistics:
      latency === null
        ? null
        : { days: 30, medianLatencyMs: latency, successRate: 0.998 - at * 0.0031, calls: 48_210, failedCalls: 96 },
    billingSettings: {
      ...(model['billingSettings'] as Row),
      isBillingEnabled: price > 0,
      billingUnit: at % 2 === 0 ? 'calls' : 'custom',
      billingUnitPriceInCurrency: price,
      maxPriceInCurrency: null,
      freeUnitQuota: at === 0 ? 100 : 0,
      currency: 'RUBLE',
    },
    publicSettings: { ...(model['publicSettings'] as Row), visitorCallsPerDay: 20, showPersonalDataDisclaimer: false },
    timeouts: { podStartTimeoutSec: 300, predictTimeoutSec: 60, fitTimeoutSec: 3600 },
    resourceLimits: {
      ...(model['resourceLimits'] as Row),
      cpuRequest: '2',
      memoryLimit: '4Gi',
      ephemeralDiskLimit: '10Gi',
      gpuRequested: false,
      gpuModels: [],
      serverLabels: {},
    },
    instanceCounts:
      service.state === 'RUNNING'
        ? { connected: 2, expected: 2 }
        : { connected: 0, expected: service.state === 'STARTING' ? 1 : 0 },
  };
}

/** Most services are not made of others, hold no files and have no own page. */
const nothingElse: Row = {
  composite: false,
  prototype: false,
  fittable: false,
  trainingModelId: null,
  trainingModelName: null,
  trainingDatasetId: null,
  trainingDatasetType: null,
  config: '{"threshold": 0.5}',
  env: '{"LOG_LEVEL": "info"}',
  secretEnv: {},
  additionalFlags: [],
  persistentVolumes: [{ pvId: 1, mountPath: '/data', sizeInGb: 10, storageClass: 'standard' }],
  dataImageMounts: [
    {
      dmId: 1,
      dataImageAccountId: 1,
      dataImageId: 1,
      dataImage: 'registry.example.org/acme/ner-weights:1.4.2',
      dataImageName: 'ner-ru',
      sourcePath: '/models',
      targetPath: '/models',
    },
  ],
  aliases: [],
  protocols: ['http', 'grpc'],
  httpSettings: { isHttpEnabled: false, httpPort: 8080, mainPageEndpoint: '/', httpInterfaceOnly: false },
  modelAuthorCompany: 'Acme Research',
  resourceGroup: 'main',
  image: {
    id: { accountId: 1, imageId: 1 },
    name: 'ner',
    imageAccountName: 'acme',
    image: 'registry.example.org/acme/ner:1.4.2',
    accessMode: 'private',
  },
};

const models: Change = (body: { records: Row[]; paging: Row }, state) =>
  records(body, state, (row, at) => served(row, at, state));

export const FACTS: readonly Fact[] = [
  [/\/models\/featured$/, (body: Row[], state) => body.slice(0, 3).map((row, at) => served(row, at, state))],
  [/\/(models|model)$/, models],
  [/\/model\/[^/]+$/, (body: Row, state) => ({ ...served(body, 0, state), id: { accountId: 1, modelId: 1 } })],
  [
    /\/catalog-category$/,
    (_body, state) => ({
      categories: SERVICES.map(({ task }, at) => ({
        taskTypeName: task,
        modelsCount: state === 'crowded' ? 240 - at * 31 : 1,
      })),
    }),
  ],
  [
    /\/task-types$/,
    (body: Row[]) =>
      body.slice(0, SERVICES.length).map((row, at) => ({
        ...row,
        name: SERVICES[at % SERVICES.length]?.task,
        displayName: SERVICES[at % SERVICES.length]?.task,
      })),
  ],
  [
    /\/predict-config$/,
    (body: Row[]) =>
      body.slice(0, 2).map((row, at) => ({
        ...row,
        name: ['Strict', 'Everything'][at],
        isDefault: at === 0,
        config: `{"threshold": ${at === 0 ? 0.8 : 0.1}}`,
      })),
  ],
  [
    /\/simple-doc$/,
    () =>
      '# What it does\n\nFinds **people**, **places** and **companies**.\n\n| label | meaning |\n|---|---|\n| PER | a person |\n| LOC | a place |\n\n```json\n{"texts": ["Ada lives in London."]}\n```\n',
  ],
];
