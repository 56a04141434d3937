import {
  type BaseQueryFn,
  createApi,
  type FetchArgs,
  fetchBaseQuery,
  type FetchBaseQueryError,
} from '@reduxjs/toolkit/query/react';

import { earlyAnswer } from '@/early/answers';

import { NO_ANSWER, PARAMETER_MISSING, type Problem, problemOf, TIMED_OUT } from './problem';

const TIMEOUT_MS = 30_000;

function serialised(params: Record<string, unknown>): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one) => [name, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

const fetched = fetchBaseQuery({
  baseUrl: window.location.origin,
  timeout: TIMEOUT_MS,
  fetchFn: async (input, init) => (input instanceof Request ? earlyAnswer(input) : undefined) ?? fetch(input, init),
  responseHandler: 'content-type',
  paramsSerializer: serialised,
  // The session is a cookie; requests that change something must carry proof that a page of this site sent them.
  credentials: 'same-origin',
});

function problemFrom(error: FetchBaseQueryError): Problem {
  switch (error.status) {
    case 'FETCH_ERROR':
      return { status: 0, code: NO_ANSWER, message: error.error, args: {}, requestId: null };
    case 'TIMEOUT_ERROR':
      return { status: 0, code: TIMED_OUT, message: error.error, args: {}, requestId: null };
    case 'PARSING_ERROR':
      return problemOf(error.originalStatus, null);
    case 'CUSTOM_ERROR':
      return { status: 0, code: 'client.defect', message: error.error, args: {}, requestId: null };
    default:
      return problemOf(error.status, error.data);
  }
}

/** A call that lacks a required parameter is never sent: see `checkedParameters`. */
export interface Unsendable {
  missing: string;
}

/** Generated endpoints pass optional headers as null. */
type Request = Omit<FetchArgs, 'headers'> & { headers?: Record<string, string | null | undefined> };
type Arguments = string | Request | Unsendable;

/** Objects, `true` and `3` are sent as JSON. A header without a value is omitted. */
function sendable(args: string | Request): string | FetchArgs {
  if (typeof args === 'string') return args;
  const { headers: given, ...others } = args;
  const headers = Object.fromEntries(
    Object.entries(given ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  if (!['boolean', 'number'].includes(typeof args.body)) return { ...others, headers };
  return { ...others, body: JSON.stringify(args.body), headers: { ...headers, 'Content-Type': 'application/json' } };
}

const baseQuery: BaseQueryFn<Arguments, unknown, Problem> = async (args, store, options) => {
  if (typeof args === 'object' && 'missing' in args) {
    const message = `Required parameter ${args.missing} was null or undefined`;
    return { error: { status: 0, code: PARAMETER_MISSING, message, args: {}, requestId: null } };
  }
  const result = await fetched(sendable(args), store, options);
  return result.error ? { error: problemFrom(result.error) } : { data: result.data };
};

export const api = createApi({
  baseQuery,
  tagTypes: [
    'Session',
    'Account',
    'Balance',
    'Models',
    'Model',
    'Keys',
    'Instances',
    'Images',
    'DataImages',
    'Datasets',
    'Configs',
    'Examples',
    'Documents',
    'Groups',
    'Servers',
    'Notifications',
    'Tasks',
    'Members',
    'Domains',
    'Requests',
    'Secrets',
    'Registries',
    'Templates',
    'Storage',
    'Limits',
    'Bucket',
    'BucketKeys',
  ],
  endpoints: () => ({}),
});
