import type { FieldSpec, SectionSpec } from '@/components/settings/fields';
import { CONTAINER_FLAGS } from '@/lib/rights';

/** What instances get, and how the platform calls them. */

const count = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'number', min: 0, ...more });
const maybe = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => count(path, { optional: true, ...more });
const flag = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'switch', ...more });
const text = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'text', ...more });

export const CONFIGURATION: SectionSpec[] = [
  {
    title: 'container',
    fields: [
      { path: 'config', kind: 'jsonText' },
      { path: 'additionalFlags', kind: 'tags', caseSensitive: true, needs: CONTAINER_FLAGS },
    ],
  },
  {
    title: 'timeouts',
    fields: [
      count('timeouts.predictTimeoutSec', { min: 1, unit: 'seconds' }),
      count('timeouts.podStartTimeoutSec', { min: 1, unit: 'seconds' }),
      maybe('timeouts.fitTimeoutSec', { min: 1, unit: 'seconds' }),
      flag('rejectRequestsIfInactive'),
      flag('waitStart'),
    ],
  },
  {
    title: 'retries',
    fields: [
      count('retriesConfig.maxRetries'),
      { path: 'retriesConfig.timeoutsMs', kind: 'numbers' },
      maybe('retriesConfig.maxRetriesPerInstance'),
    ],
  },
  {
    title: 'batches',
    fields: [
      count('batchesConfig.batchSize'),
      count('batchesConfig.timeWaitMs', { unit: 'milliseconds' }),
      maybe('batchesConfig.maxLengthToSkip', { unit: 'bytes' }),
    ],
  },
  {
    title: 'queue',
    fields: [
      flag('priorityQueue.enabled'),
      count('priorityQueue.concurrencyLevel', { min: 1, when: 'priorityQueue.enabled' }),
    ],
  },
  {
    title: 'caching',
    fields: [
      flag('caching.enabled'),
      text('caching.mongoUri', { code: true, when: 'caching.enabled' }),
      text('caching.collectionName', { code: true, when: 'caching.enabled' }),
      count('caching.recordsLimit', { when: 'caching.enabled' }),
    ],
  },
  {
    title: 'http',
    fields: [
      flag('httpSettings.isHttpEnabled'),
      maybe('httpSettings.httpPort', { min: 1, max: 65_535, when: 'httpSettings.isHttpEnabled' }),
      text('httpSettings.mainPageEndpoint', { code: true, when: 'httpSettings.isHttpEnabled' }),
      flag('httpSettings.httpInterfaceOnly', { when: 'httpSettings.isHttpEnabled' }),
    ],
  },
  {
    title: 'archive',
    fields: [
      flag('archiveSettings.enabled'),
      count('archiveSettings.numberOfArchivedRequests', { when: 'archiveSettings.enabled' }),
      flag('archiveSettings.encryptionEnabled', { when: 'archiveSettings.enabled' }),
      { path: 'archiveSettings.rsaPemPublicKey', kind: 'area', code: true, when: 'archiveSettings.encryptionEnabled' },
    ],
  },
];
