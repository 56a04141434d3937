import { useMemo } from 'react';

import { coreApi } from '@/api';
import type { ExampleData } from '@/api/generated/core.gen';
import { examplesOf } from '@/lib/taskTypes';

import { exampleOf } from './schema';
import { useSchemas } from './useSchemas';

/** A request to begin with. `saved`: an example of the service's author; without it, the request follows from the task type or the schema. */
export interface Example {
  request: unknown;
  /** Undefined if none is recorded. */
  answer: unknown;
  saved: ExampleData | null;
}

const parsed = (text: string | null): unknown => {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
};

function exampleFrom(saved: ExampleData): Example[] {
  const request = parsed(saved.request);
  return request === undefined ? [] : [{ request, answer: parsed(saved.answer), saved }];
}

/**
 * The author's examples in their order; without any, requests of the task type, or one that fits the service's own schema.
 * Undefined while it is unknown which. Never empty.
 */
export function useExamples(account: string, model: string, taskType: string): Example[] | undefined {
  const { data, isLoading } = coreApi.useCoreListExamplesQuery({ account, model });
  const schemas = useSchemas(account, model);
  return useMemo(() => {
    const saved = (data ?? []).flatMap(exampleFrom);
    if (saved.length > 0) return saved;
    const known = examplesOf(taskType);
    if (isLoading || (known.length === 0 && schemas === undefined)) return undefined;
    const requests = known.length > 0 ? known : [schemas?.data ? exampleOf(schemas.data) : {}];
    return requests.map((request) => ({ request, answer: undefined, saved: null }));
  }, [data, isLoading, schemas, taskType]);
}
