import type { HostingType, ModelAutoScalingConfiguration } from '@/api/generated/core.gen';
import {
  changes,
  type FieldSpec,
  type SectionSpec,
  type Unit,
  type Values,
  valueAt,
} from '@/components/settings/fields';
import { CONTAINER_FLAGS } from '@/lib/rights';

import { SCHEDULE } from '../Schedule';
import { LABELS } from './Labels';

const count = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'number', min: 0, ...more });
const maybe = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => count(path, { optional: true, ...more });
const text = (path: string): FieldSpec => ({ path, kind: 'text', narrow: true, required: true });
const withGpu = { when: 'resourceLimits.gpuRequested' };

/** What one instance needs of a server, and may use of it. */
export const RESOURCES = 'resources';
const NEEDS: SectionSpec = {
  title: RESOURCES,
  fields: [
    text('resourceLimits.cpuRequest'),
    text('resourceLimits.memoryLimit'),
    text('resourceLimits.ephemeralDiskLimit'),
    { path: 'resourceLimits.gpuRequested', kind: 'switch' },
    maybe('resourceLimits.gpuCount', { min: 1, max: 64, ...withGpu }),
    maybe('resourceLimits.gpuMemoryLimitMb', { min: 1, unit: 'megabytes', ...withGpu }),
    { path: 'resourceLimits.gpuModels', kind: 'tags', ...withGpu },
    { path: 'resourceLimits.serverLabels', kind: 'custom', custom: LABELS },
  ],
};

const AUTO = 'autoScalingConfiguration';
const ENABLED = { when: `${AUTO}.enabled` };
const SCALED: readonly [string, Unit?][] = [
  ['RequestsPerMinuteThreshold', 'perMinute'],
  ['LatencyThresholdMs', 'milliseconds'],
  ['CpuThresholdMilliCores', 'millicores'],
  ['ActiveRequestsThreshold'],
  ['QueueTimeThresholdMs', 'milliseconds'],
];
const scaling = (name: string, more: Partial<FieldSpec> = {}) => maybe(`${AUTO}.${name}`, { ...ENABLED, ...more });

/** The last section of automatic hosting. */
export const SCHEDULED = 'schedule';

const SCALING: SectionSpec[] = [
  {
    title: 'scaling',
    fields: [
      count(`${AUTO}.minInstanceCount`),
      { path: `${AUTO}.enabled`, kind: 'switch' },
      scaling('maxInstanceCount'),
      scaling('cooldownDurationMinutes', { unit: 'minutes' }),
      scaling('idleTimeMinutes', { min: 1, unit: 'minutes' }),
      ...SCALED.flatMap(([name, unit]) => [
        scaling(`scaleUp${name}`, { min: 1, ...(unit && { unit }) }),
        scaling(`scaleDown${name}`, unit && { unit }),
      ]),
    ],
  },
  {
    title: SCHEDULED,
    fields: [{ path: `${AUTO}.scheduledInstanceCountSettings`, kind: 'custom', custom: SCHEDULE, ...ENABLED }],
  },
];

/** The settings that matter for a kind of hosting. What runs outside, its owner starts and limits. */
export function sectionsOf(hosting: HostingType): SectionSpec[] {
  if (hosting === 'EXTERNAL') return [{ title: 'start', fields: [maybe('startTimeSec', { unit: 'seconds' })] }];
  const start: SectionSpec = {
    title: 'start',
    fields: [
      ...(hosting === 'AUTOMATIC' ? [] : [count('minInstancesCount')]),
      maybe('startTimeSec', { unit: 'seconds' }),
    ],
  };
  return [NEEDS, start, ...(hosting === 'AUTOMATIC' ? SCALING : [])];
}

/** Below what instances find in their file system. */
export const PATCH: SectionSpec[] = [
  { title: 'patch', fields: [{ path: 'deploymentPatch', kind: 'jsonText', needs: CONTAINER_FLAGS }] },
];

/** The configuration as it is edited, in the server's form. */
export function configurationOf(edited: Values, source: Values): ModelAutoScalingConfiguration {
  // After another kind of hosting was chosen, the form has no values of these fields for a moment.
  const fields = SCALING.flatMap((section) => section.fields).filter(({ path }) => valueAt(edited, path) !== undefined);
  const changed = changes(fields, edited, source);
  return (changed[AUTO] ?? source[AUTO]) as ModelAutoScalingConfiguration;
}
