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
