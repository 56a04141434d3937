import type { ExampleData, ModelInfoData } from '@/api/generated/core.gen';

/** What tests of pages read of a service; the rest of a model does not matter to them. */
export function modelOf(part: Partial<ModelInfoData> = {}): ModelInfoData {
  const model: Partial<ModelInfoData> = {
    id: { accountId: 9, modelId: 3 },
    modelName: 'counter',
    modelAccountName: 'acme',
    modelAccountDisplayName: 'Acme',
    displayName: 'Counter',
    displayAuthor: null,
    shortDescription: null,
    taskType: 'custom',
    languages: [],
    state: 'RUNNING',
    waitsForServer: false,
    start: null,
    startTimeSec: null,
    hostingType: 'HOSTING_SERVER',
    prototype: false,
    favorite: false,
    publicSettings: { isPublic: true, publicTestingAllowed: true, showPersonalDataDisclaimer: false },
    billingSettings: {
      isBillingEnabled: true,
      billingUnit: 'calls',
      billingUnitPriceInCurrency: 0.25,
      freeUnitQuota: 0,
      currency: 'RUBLE',
      maxPriceInCurrency: null,
    },
    httpSettings: { isHttpEnabled: false },
    timeouts: { predictTimeoutSec: 30 },
    ...part,
  };
  return model as ModelInfoData;
}

export function exampleOf(number: number, part: Partial<ExampleData> = {}): ExampleData {
  return {
    id: { accountId: 9, modelId: 3, exampleId: number },
    position: number - 1,
    name: `Example ${number}`,
    request: '{}',
    answer: null,
    ...part,
  };
}
