import type { FieldSpec } from './fields';

/** The settings of a service by section. Titles and hints are in the locales under the same paths. */
export interface SectionSpec {
  title: string;
  fields: readonly FieldSpec[];
}

const TASK_TYPES = ['text2vec', 'text-classification', 'ner', 'text-processing', 'chat-completion', 'asr', 'tts', 'chat', 'image-generation', 'custom', 'file_base64', 'mcp_server'];

const count = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'number', min: 0, ...more });
const maybe = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => count(path, { optional: true, ...more });
const flag = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'switch', ...more });
const text = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'text', ...more });

export const MAIN: SectionSpec[] = [
  {
    title: 'about',
    fields: [
      text('displayName'), { path: 'shortDescription', kind: 'area' }, { path: 'taskType', kind: 'select', options: TASK_TYPES }, { path: 'languages', kind: 'tags' },
      text('displayAuthor'), text('modelAuthorCompany'), text('modelLink'), { path: 'aliases', kind: 'tags' },
    ],
  },
  { title: 'kind', fields: [{ path: 'modelType', kind: 'select', options: ['MLP', 'WEB_APPLICATION', 'MCP_SERVER'] }, { path: 'protocols', kind: 'tags' }, flag('prototype'), flag('composite'), flag('fittable')] },
];

export const ACCESS: SectionSpec[] = [
  {
    title: 'publicity',
    fields: [
      flag('isPublic'), flag('publicTestingAllowed', { when: 'isPublic' }), flag('hidden', { when: 'isPublic' }), flag('featured', { when: 'isPublic' }),
      maybe('featuredListOrder', { when: 'featured' }), flag('showPersonalDataDisclaimer'), flag('availableInJaicp'),
    ],
  },
  { title: 'others', fields: [{ path: 'allowedAccounts', kind: 'numbers' }] },
];

export const BILLING: SectionSpec[] = [
  {
    title: 'price',
    fields: [
      flag('isBillingEnabled'), { path: 'billingUnit', kind: 'select', options: ['calls', 'custom', 'direct'], when: 'isBillingEnabled' },
      { path: 'billingUnitPriceInCurrency', kind: 'number', min: 0, decimals: 9, when: 'isBillingEnabled', optional: true }, { path: 'currency', kind: 'select', options: ['RUBLE', 'TOKEN'], when: 'isBillingEnabled' },
      { path: 'maxPriceInCurrency', kind: 'number', min: 0, decimals: 9, when: 'isBillingEnabled', optional: true }, maybe('freeUnitQuota', { when: 'isBillingEnabled' }), flag('allowDeferredBilling', { when: 'isBillingEnabled' }),
    ],
  },
];

export const CONFIGURATION: SectionSpec[] = [
  { title: 'container', fields: [{ path: 'config', kind: 'jsonText' }, { path: 'additionalFlags', kind: 'tags' }] },
  { title: 'timeouts', fields: [count('timeouts.predictTimeoutSec', { min: 1 }), count('timeouts.podStartTimeoutSec', { min: 1 }), maybe('timeouts.fitTimeoutSec', { min: 1 }), flag('rejectRequestsIfInactive'), flag('waitStart')] },
  { title: 'retries', fields: [count('retriesConfig.maxRetries'), { path: 'retriesConfig.timeoutsMs', kind: 'numbers' }, maybe('retriesConfig.maxRetriesPerInstance')] },
  { title: 'batches', fields: [count('batchesConfig.batchSize'), count('batchesConfig.timeWaitMs'), maybe('batchesConfig.maxLengthToSkip')] },
  { title: 'queue', fields: [flag('priorityQueue.enabled'), count('priorityQueue.concurrencyLevel', { min: 1, when: 'priorityQueue.enabled' })] },
  {
    title: 'caching',
    fields: [
      flag('caching.enabled'), text('caching.mongoUri', { when: 'caching.enabled' }), text('caching.collectionName', { when: 'caching.enabled' }), count('caching.recordsLimit', { when: 'caching.enabled' }),
    ],
  },
  {
    title: 'http',
    fields: [
      flag('httpSettings.isHttpEnabled'), maybe('httpSettings.httpPort', { min: 1, max: 65_535, when: 'httpSettings.isHttpEnabled' }), text('httpSettings.mainPageEndpoint', { when: 'httpSettings.isHttpEnabled' }),
      flag('httpSettings.httpInterfaceOnly', { when: 'httpSettings.isHttpEnabled' }),
    ],
  },
  {
    title: 'archive',
    fields: [
      flag('archiveSettings.enabled'), count('archiveSettings.numberOfArchivedRequests', { when: 'archiveSettings.enabled' }), flag('archiveSettings.encryptionEnabled', { when: 'archiveSettings.enabled' }),
      { path: 'archiveSettings.rsaPemPublicKey', kind: 'area', when: 'archiveSettings.encryptionEnabled' },
    ],
  },
];

const SCALED = ['RequestsPerMinuteThreshold', 'LatencyThresholdMs', 'CpuThresholdMilliCores', 'ActiveRequestsThreshold'];
const scaling = (name: string, more: Partial<FieldSpec> = {}) => maybe(`autoScalingConfiguration.${name}`, { when: 'autoScalingConfiguration.enabled', ...more });

export const HOSTING: SectionSpec[] = [
  {
    title: 'resources',
    fields: [
      text('resourceLimits.cpuRequest'), text('resourceLimits.memoryLimit'), text('resourceLimits.ephemeralDiskLimit'), flag('resourceLimits.gpuRequested'),
      maybe('resourceLimits.gpuCount', { min: 1, when: 'resourceLimits.gpuRequested' }), maybe('resourceLimits.gpuMemoryLimitMb', { min: 1, when: 'resourceLimits.gpuRequested' }),
      maybe('resourceLimits.gpuUsageLimit', { min: 1, max: 100, when: 'resourceLimits.gpuRequested' }),
    ],
  },
  { title: 'instances', fields: [count('minInstancesCount'), maybe('startTimeSec')] },
  {
    title: 'scaling',
    fields: [
      flag('autoScalingConfiguration.enabled'), count('autoScalingConfiguration.minInstanceCount', { when: 'autoScalingConfiguration.enabled' }), scaling('maxInstanceCount'), scaling('cooldownDurationMinutes'),
      scaling('idleTimeMinutes', { min: 1 }), ...SCALED.flatMap((name) => [scaling(`scaleUp${name}`, { min: 1 }), scaling(`scaleDown${name}`)]),
    ],
  },
  { title: 'storage', fields: [{ path: 'persistentVolumes', kind: 'jsonValue' }, { path: 'dataImageMounts', kind: 'jsonValue' }, { path: 'deploymentPatch', kind: 'jsonText' }] },
];
