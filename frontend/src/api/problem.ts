import type { SerializedError } from '@reduxjs/toolkit';

/** The error of a call, in the format of all services. `status` 0: no answer came. */
export interface Problem {
  status: number;
  code: string;
  message: string;
  /** For invalid input: paths of fields, each with its error. */
  args: Record<string, string>;
  requestId: string | null;
  /** For invalid input: the broken rule of each field, where the server names it. */
  violations?: Violation[];
}

/** A rule of a field that a value breaks. `message` is the server's text. */
export interface Violation {
  path: string;
  rule: string;
  args: Record<string, string>;
  message: string;
}

export const NO_ANSWER = 'client.no_answer';
export const TIMED_OUT = 'client.timed_out';
export const PARAMETER_MISSING = 'client.parameter_missing';
export const VALIDATION_FAILED = 'mlp.core.validation_error';

function texts(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

function violationsIn(value: unknown, messages: Record<string, string>): Violation[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    const { path, rule, args } = typeof one === 'object' && one !== null ? (one as Record<string, unknown>) : {};
    return typeof path === 'string' && typeof rule === 'string'
      ? [{ path, rule, args: texts(args), message: messages[path] ?? '' }]
      : [];
  });
}

/** The problem of an unsuccessful answer. A body in another format, for example of a proxy, only yields the status. */
export function problemOf(status: number, body: unknown): Problem {
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const args = texts(given.args);
  const violations = violationsIn(given.violations, args);
  return {
    status,
    code: typeof given.code === 'string' ? given.code : `http.${status}`,
    message: typeof given.message === 'string' ? given.message : '',
    args,
    requestId: typeof given.requestId === 'string' ? given.requestId : null,
    ...(violations.length ? { violations } : {}),
  };
}

export function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'status' in error && 'args' in error;
}

/** The problem of a query or a mutation; null if there is none. */
export function asProblem(error: Problem | SerializedError | undefined): Problem | null {
  if (!error) return null;
  if (isProblem(error)) return error;
  return { status: 0, code: error.code ?? 'client.defect', message: error.message ?? '', args: {}, requestId: null };
}

/** Errors of the form's fields by path; all others become the form's message. */
export function splitByField(
  problem: Problem,
  known: readonly string[],
): { fields: Record<string, string>; rest: boolean } {
  const entries = problem.code === VALIDATION_FAILED ? Object.entries(problem.args) : fromMessage(problem.message);
  const fields = Object.fromEntries(entries.filter(([path]) => known.includes(path)));
  return { fields, rest: Object.keys(fields).length === 0 || entries.some(([path]) => !known.includes(path)) };
}

/** `path: message`. */
function fromMessage(message: string): [string, string][] {
  const found = /^([\w.[\]-]+): (.+)$/s.exec(message);
  return found?.[1] && found[2] ? [[found[1], found[2]]] : [];
}
