import type { FetchArgs } from '@reduxjs/toolkit/query/react';

import type { Unsendable } from './base';

type Query = (argument: unknown) => string | FetchArgs | Unsendable;

/** Wraps a request builder so that a call without a required parameter fails instead of requesting `/undefined`. */
export function checkedParameters(query: Query, required: readonly string[]): Query {
  return (argument) => {
    const given = (argument ?? {}) as Record<string, unknown>;
    const missing = required.find((name) => given[name] === undefined || given[name] === null);
    return missing === undefined ? query(argument) : { missing };
  };
}

interface Endpoints {
  endpoints: object;
}

/** Checks the required parameters of the endpoints of `parts`. */
export function withRequired(
  api: { enhanceEndpoints: unknown },
  required: Readonly<Record<string, readonly string[]>>,
  parts: readonly Endpoints[],
): void {
  const names = new Set(parts.flatMap(({ endpoints }) => Object.keys(endpoints)));
  const checks = Object.entries(required)
    .filter(([endpoint]) => names.has(endpoint))
    .map(([endpoint, parameters]) => [
      endpoint,
      (definition: { query?: unknown }) => {
        if (typeof definition.query === 'function')
          definition.query = checkedParameters(definition.query as Query, parameters);
      },
    ]);
  // The table is generated from the same documents as the endpoints; callers do not need its types.
  (api as { enhanceEndpoints: (options: Endpoints) => unknown }).enhanceEndpoints({
    endpoints: Object.fromEntries(checks) as object,
  });
}
