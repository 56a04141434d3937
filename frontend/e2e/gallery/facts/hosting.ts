import { NOW } from '../samples.ts';
import { ago, type Fact, HOUR, MINUTE, type Row, startOf } from './base.ts';

const LOG = Array.from(
  { length: 60 },
  (_, at) =>
    `${ago((60 - at) * 9000)} ${at % 13 === 7 ? 'WARNING' : at === 41 ? 'ERROR' : 'INFO'} ${['model loaded in 3.4 s', 'POST /predict 200 84 ms', 'POST /predict 200 91 ms, 2 texts', 'queue is empty'][at % 4]}`,
).join('\n');
const GIB = 1024;
const NO_ROOM: Row = {
  reason: 'NotEnoughRoom',
  message: null,
  details: {
    servers: 3,
    lacking: [
      { what: 'memory', servers: 2, missing: 2 * GIB },
      { what: 'heartbeat', servers: 1, missing: 0 },
    ],
    limit: null,
  },
};
const host = (part: number) => ({
  milliCpu: 32_000 * part,
  ramMb: 256 * GIB * part,
  diskMb: 1800 * GIB * part,
  gpu: 2 * part,
  vramMb: 160 * GIB * part,
});
const rounded = (facts: Record<string, number>) =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, Math.round(value)]));

/** One of each state, in the order in which they matter. */
const JOBS: readonly Row[] = [
  {
    operation: 'RUN',
    operatedEntityName: 'ner-ru',
    persistentJobStatus: 'RUN',
    viewStatus: 'RUN',
    percentage: 62,
    step: 'pulling',
    currentStep: 'pulling',
    runAt: ago(48_000),
    endTime: null,
    errorMessage: null,
    isInterruptible: true,
    interrupted: false,
  },
  {
    operation: 'FIT',
    operatedEntityName: 'tone',
    persistentJobStatus: 'IDLE',
    viewStatus: 'IDLE',
    percentage: 0,
    step: 'waiting',
    currentStep: 'waiting',
    runAt: ago(12_000),
    endTime: null,
    errorMessage: null,
    isInterruptible: true,
    interrupted: false,
  },
  {
    operation: 'SCALE_UP',
    operatedEntityName: 'whisper-large',
    persistentJobStatus: 'FAILED',
    viewStatus: 'FAILED',
    percentage: 35,
    step: 'starting',
    currentStep: 'starting',
    runAt: ago(25 * MINUTE),
    endTime: ago(21 * MINUTE),
    isInterruptible: false,
    interrupted: false,
  },
  {
    operation: 'RUN',
    operatedEntityName: 'sbert-large',
    persistentJobStatus: 'COMPLETED',
    viewStatus: 'COMPLETED',
    percentage: 100,
    step: null,
    currentStep: null,
    runAt: ago(3 * HOUR),
    endTime: ago(3 * HOUR - 41_000),
    errorMessage: null,
    isInterruptible: false,
    interrupted: false,
  },
];

/** Sizes of servers: of one a template does not say it. */
const SIZES: readonly (Row | null)[] = [
  { cpu: '8', memory: '32Gi', disk: '200Gi', gpuModels: [] },
  { cpu: '32', memory: '256Gi', disk: '1800Gi', gpuModels: ['A100 80GB', 'A100 80GB'] },
  null,
  { cpu: '500m', memory: '512Mi', disk: '10Gi', gpuModels: [] },
];

export const FACTS: readonly Fact[] = [
  [
    /\/server\/template(\/public)?$/,
    (body: Row[], state) =>
      (state === 'crowded' ? body : body.slice(0, SIZES.length)).map((row, at) => ({
        ...row,
        capacity: SIZES[at % SIZES.length],
        rawConfiguration: 'provider: hosting_server\nlabels: {zone: a}\n',
      })),
  ],
  [
    /\/instance$/,
    (body: { instances: Row[] }) => ({
      instances: body.instances.slice(0, 3).map((row, at) => ({
        ...row,
        name: `ner-ru-${at + 1}`,
        serverName: ['gpu-01', 'gpu-02', null][at],
        restartCount: at === 1 ? 2 : 0,
        instanceHostingType: 'hostingServer',
        purpose: 'serve',
        createdTimestamp: ago((at + 1) * 5 * HOUR),
        waiting: at === 2 ? NO_ROOM : null,
        start: [null, startOf('CONNECTING', 9, 12), startOf('WAITING_FOR_SERVER', 240, 12)][at],
        statusInfo: { ...(row['statusInfo'] as Row), totalStatus: ['RUNNING', 'WAITING', 'WAITING'][at] },
      })),
    }),
  ],
  [
    /\/model\/[^/]+\/status$/,
    (body: Row, state) => ({
      ...body,
      ...(state === 'crowded'
        ? { state: 'STARTING', waiting: NO_ROOM, start: startOf('CONNECTING', 9, 12) }
        : { waiting: null, start: null }),
      startTimeSeconds: 12,
    }),
  ],
  [
    /\/instances$/,
    () => ({
      internalRequested: 0,
      internalActive: 0,
      internalInError: 0,
      hostingServerRequested: 2,
      hostingServerActive: 2,
      externalRequested: 0,
    }),
  ],
  [/\/logs\/tail$/, () => ({ run: 'one', start: 0, end: LOG.length, text: LOG })],
  [/\/environment$/, () => ({ environment: { LOG_LEVEL: 'info', MODEL_PATH: '/models/ner', WORKERS: '4' } })],
  [
    /\/task\/short$/,
    (body: Row[]) =>
      body.map((row, at) => ({
        ...row,
        children: [],
        waitFor: [],
        ...JOBS[at % JOBS.length],
        ...(at % JOBS.length === 2 ? { errorMessage: row['errorMessage'] } : {}),
      })),
  ],
  [
    /\/capacity$/,
    (body: { servers: Row[] }) => ({
      ...body,
      ...rounded(host(3)),
      gpuModels: ['A100 80GB'],
      nodes: [],
      vramMbOld: 0,
      allocated: rounded(host(1.7)),
      free: rounded(host(1.3)),
      servers: body.servers.slice(0, 3).map((row, at) => ({
        ...row,
        name: `gpu-0${at + 1}`,
        status: ['RUNNING', 'RUNNING', 'STARTING'][at],
        instances: 3 - at,
        maxInstances: 8,
        capacity: rounded(host(1)),
        allocated: rounded(host([0.9, 0.6, 0.2][at] ?? 0)),
        used: rounded(host([0.5, 0.4][at] ?? 0)),
        gpus: [],
      })),
    }),
  ],
  [
    /\/server\/status$/,
    (body: Row[]) =>
      body.slice(0, 3).map((row, at) => ({
        ...row,
        name: `gpu-0${at + 1}`,
        serverIp: `10.0.0.${at + 4}`,
        jumpHostIp: null,
        description: at === 0 ? 'Rack 4, bought in March' : null,
        status: ['RUNNING', 'RUNNING', 'STARTING'][at],
        resources: { cpu: '32', memory: '256Gi', disk: '1800Gi', gpuModels: ['A100 80GB', 'A100 80GB'] },
        isTemporary: at === 2,
        expiresAt: at === 2 ? new Date(NOW + 9 * HOUR).toISOString() : null,
        timeLeftSeconds: at === 2 ? 32_400 : null,
      })),
  ],
];
