import type { FieldSpec, SectionSpec, Unit } from '@/components/settings/fields';
import { CONTAINER_FLAGS, PUBLIC_MODEL_ADMIN } from '@/lib/rights';

import { SCHEDULE } from './Schedule';

/** The settings of a service by section. Titles and hints are in the locales under the same paths. */

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
      flag('isPublic', { needs: PUBLIC_MODEL_ADMIN }), flag('publicTestingAllowed', { when: 'isPublic' }), count('visitorCallsPerDay', { when: 'publicTestingAllowed' }), flag('hidden', { when: 'isPublic' }), flag('featured', { when: 'isPublic', needs: PUBLIC_MODEL_ADMIN }),
      maybe('featuredListOrder', { when: 'featured', needs: PUBLIC_MODEL_ADMIN }), flag('showPersonalDataDisclaimer'), flag('availableInJaicp'),
    ],
  },
  { title: 'others', fields: [{ path: 'allowedAccounts', kind: 'numbers', needs: PUBLIC_MODEL_ADMIN }] },
];

export const BILLING: SectionSpec[] = [
  {
    title: 'price',
    fields: [
      flag('isBillingEnabled', { needs: PUBLIC_MODEL_ADMIN }), { path: 'billingUnit', kind: 'select', options: ['calls', 'custom', 'direct'], when: 'isBillingEnabled' },
      { path: 'billingUnitPriceInCurrency', kind: 'number', min: 0, decimals: 9, unit: 'currency', when: 'isBillingEnabled', optional: true }, { path: 'currency', kind: 'select', options: ['RUBLE', 'TOKEN'], when: 'isBillingEnabled' },
      { path: 'maxPriceInCurrency', kind: 'number', min: 0, decimals: 9, unit: 'currency', when: 'isBillingEnabled', optional: true }, maybe('freeUnitQuota', { when: 'isBillingEnabled' }), flag('allowDeferredBilling', { when: 'isBillingEnabled' }),
    ],
  },
];

export const CONFIGURATION: SectionSpec[] = [
  { title: 'container', fields: [{ path: 'config', kind: 'jsonText' }, { path: 'additionalFlags', kind: 'tags', needs: CONTAINER_FLAGS }] },
  { title: 'timeouts', fields: [count('timeouts.predictTimeoutSec', { min: 1, unit: 'seconds' }), count('timeouts.podStartTimeoutSec', { min: 1, unit: 'seconds' }), maybe('timeouts.fitTimeoutSec', { min: 1, unit: 'seconds' }), flag('rejectRequestsIfInactive'), flag('waitStart')] },
  { title: 'retries', fields: [count('retriesConfig.maxRetries'), { path: 'retriesConfig.timeoutsMs', kind: 'numbers' }, maybe('retriesConfig.maxRetriesPerInstance')] },
  { title: 'batches', fields: [count('batchesConfig.batchSize'), count('batchesConfig.timeWaitMs', { unit: 'milliseconds' }), maybe('batchesConfig.maxLengthToSkip', { unit: 'bytes' })] },
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

const SCALED: readonly [string, Unit?][] = [['RequestsPerMinuteThreshold', 'perMinute'], ['LatencyThresholdMs', 'milliseconds'], ['CpuThresholdMilliCores', 'millicores'], ['ActiveRequestsThreshold']];
const scaling = (name: string, more: Partial<FieldSpec> = {}) => maybe(`autoScalingConfiguration.${name}`, { when: 'autoScalingConfiguration.enabled', ...more });

export const HOSTING: SectionSpec[] = [
  {
    title: 'resources',
    fields: [
      text('resourceLimits.cpuRequest', { narrow: true }), text('resourceLimits.memoryLimit', { narrow: true }), text('resourceLimits.ephemeralDiskLimit', { narrow: true }), flag('resourceLimits.gpuRequested'),
      maybe('resourceLimits.gpuCount', { min: 1, when: 'resourceLimits.gpuRequested' }), maybe('resourceLimits.gpuMemoryLimitMb', { min: 1, unit: 'megabytes', when: 'resourceLimits.gpuRequested' }),
      maybe('resourceLimits.gpuUsageLimit', { min: 1, max: 100, unit: 'percent', when: 'resourceLimits.gpuRequested' }),
    ],
  },
  { title: 'instances', fields: [count('minInstancesCount'), maybe('startTimeSec', { unit: 'seconds' })] },
  {
    title: 'scaling',
    fields: [
      flag('autoScalingConfiguration.enabled'), count('autoScalingConfiguration.minInstanceCount', { when: 'autoScalingConfiguration.enabled' }), scaling('maxInstanceCount'), scaling('cooldownDurationMinutes', { unit: 'minutes' }),
      scaling('idleTimeMinutes', { min: 1, unit: 'minutes' }), ...SCALED.flatMap(([name, unit]) => [scaling(`scaleUp${name}`, { min: 1, ...(unit && { unit }) }), scaling(`scaleDown${name}`, unit && { unit })]),
    ],
  },
  { title: 'schedule', fields: [{ path: 'autoScalingConfiguration.scheduledInstanceCountSettings', kind: 'custom', custom: SCHEDULE }] },
];

/** Below what instances find in their file system. */
export const PATCH: SectionSpec[] = [
  { title: 'patch', fields: [{ path: 'deploymentPatch', kind: 'jsonText', needs: CONTAINER_FLAGS }] },
];
