import type { CreateResourceGroupServer } from '@/api/generated/core.gen';

import { configurationOf } from './configuration';

export const SOURCES = ['fields', 'template', 'yaml'] as const;
/** What says how the server is configured. */
export type Source = (typeof SOURCES)[number];

/** What the form of a new server holds. */
export interface ServerValues {
  serverName: string;
  source: Source;
  description: string;
  maxInstances: number | string;
  templateId: string | null;
  rawConfiguration: string;
  /** In minutes; empty for a server that stays. */
  lifetime: number | string;
  [name: string]: unknown;
}

/** Where the form shows what is wrong with the configuration. */
export const SHOWN_AT = { fields: 'description', template: 'templateId', yaml: 'rawConfiguration' } as const;

export function serverOf(values: ServerValues): CreateResourceGroupServer {
  const minutes = Number(values.lifetime);
  return {
    serverName: values.serverName.trim(),
    ...configured(values),
    ...(minutes ? { maxServerLifetimeMinutes: minutes, isTemporary: true } : {}),
  };
}

function configured({ source, description, maxInstances, templateId, rawConfiguration }: ServerValues) {
  if (source === 'template') return { templateId: Number(templateId) };
  if (source === 'yaml') return { rawConfiguration };
  return {
    rawConfiguration: configurationOf({
      description: description.trim(),
      maxInstances: Number(maxInstances) || null,
    }),
  };
}
