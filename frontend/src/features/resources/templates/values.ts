import type {
  CreateUpdateServerTemplateData,
  Currency,
  ServerTemplateData,
  TariffPeriod,
} from '@/api/generated/core.gen';

import { LEAST_CONFIGURATION } from '../configuration';

/** What the form holds: fields have the names of the API where they mean the same. */
export interface TemplateValues {
  name: string;
  description: string;
  rawConfiguration: string;
  cpu: string;
  memory: string;
  disk: string;
  /** One model for each GPU, separated by commas. */
  gpuModels: string;
  tarifficationPrice: number | string;
  tarifficationPeriod: TariffPeriod | null;
  costPrice: number | string;
  currency: Currency | null;
  internalTemplateName: string;
  username: string;
  [name: string]: unknown;
}

export const PERIODS = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR'] as const satisfies TariffPeriod[];
export const CURRENCIES = ['RUBLE', 'TOKEN'] as const satisfies Currency[];

/** The fields of the form for the fields of the API that have other names. */
export const FIELD_OF = {
  'capacity.cpu': 'cpu',
  'capacity.memory': 'memory',
  'capacity.disk': 'disk',
  'capacity.gpuModels': 'gpuModels',
  'capacity.gpuModels.*': 'gpuModels',
  'rawConfiguration.provider': 'rawConfiguration',
  'rawConfiguration.labels': 'rawConfiguration',
  'rawConfiguration.description': 'rawConfiguration',
  'rawConfiguration.maxInstances': 'rawConfiguration',
};

/** The values of a template, or those that a new one begins with. */
export function valuesOf(template: ServerTemplateData | null, currency: Currency): TemplateValues {
  return {
    name: template?.name ?? '',
    description: template?.description ?? '',
    rawConfiguration: template?.rawConfiguration ?? LEAST_CONFIGURATION,
    cpu: template?.capacity?.cpu ?? '',
    memory: template?.capacity?.memory ?? '',
    disk: template?.capacity?.disk ?? '',
    gpuModels: template?.capacity?.gpuModels.join(', ') ?? '',
    tarifficationPrice: template?.tarifficationPrice ?? 0,
    tarifficationPeriod: template ? template.tarifficationPeriod : 'HOUR',
    costPrice: template?.costPrice ?? '',
    currency: template ? template.currency : currency,
    internalTemplateName: template?.internalTemplateName ?? '',
    username: template?.username ?? '',
  };
}

/** The whole template as the API takes it. A capacity of which nothing is said is none. */
export function dataOf(values: TemplateValues): CreateUpdateServerTemplateData {
  const [cpu, memory, disk] = [values.cpu, values.memory, values.disk].map((amount) => amount.trim());
  const gpuModels = values.gpuModels
    .split(',')
    .map((model) => model.trim())
    .filter(Boolean);
  const said = [cpu, memory, disk, ...gpuModels].some(Boolean);
  return {
    name: values.name.trim(),
    type: 'HOSTING_SERVER',
    description: values.description.trim(),
    rawConfiguration: values.rawConfiguration,
    capacity: said ? { cpu: cpu ?? '', memory: memory ?? '', disk: disk ?? '', gpuModels } : null,
    tarifficationPrice: Number(values.tarifficationPrice),
    tarifficationPeriod: values.tarifficationPeriod,
    costPrice: values.costPrice === '' ? null : Number(values.costPrice),
    currency: values.currency,
    internalTemplateName: values.internalTemplateName.trim() || null,
    username: values.username.trim() || null,
  };
}
