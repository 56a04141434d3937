import type { ModelLimitsData } from '@/api/generated/core.gen';
import { type Values, valueAt } from '@/components/settings/fields';

const QUANTITY = /^(\d+\.?\d*|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,2})?$/;
const numberOf = (value: unknown) => (value === '' || value === null || value === undefined ? null : Number(value));

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What the form says one instance needs, as the server reads it; null while a quantity is incomplete. */
export function limitsOf(edited: Values): ModelLimitsData | null {
  const at = (name: string) => valueAt(edited, `resourceLimits.${name}`);
  const [cpuRequest, memoryLimit, ephemeralDiskLimit] = ['cpuRequest', 'memoryLimit', 'ephemeralDiskLimit'].map(
    (name) => textOf(at(name)).trim(),
  );
  if (![cpuRequest, memoryLimit, ephemeralDiskLimit].every((text) => QUANTITY.test(text ?? ''))) return null;
  const gpuRequested = at('gpuRequested') === true;
  const labels = (at('serverLabels') ?? []) as [string, string][];
  return {
    cpuRequest: cpuRequest ?? '',
    memoryLimit: memoryLimit ?? '',
    ephemeralDiskLimit: ephemeralDiskLimit ?? '',
    gpuRequested,
    gpuCount: gpuRequested ? numberOf(at('gpuCount')) : null,
    gpuMemoryLimitMb: gpuRequested ? numberOf(at('gpuMemoryLimitMb')) : null,
    gpuModels: gpuRequested ? ((at('gpuModels') ?? []) as string[]) : [],
    serverLabels: Object.fromEntries(labels.filter(([name]) => name !== '')),
  };
}
