import type { i18n } from 'i18next';

import { type Problem, VALIDATION_FAILED, type Violation } from '@/api/problem';

import { PROBLEMS } from './texts';
import { valuesOf } from './values';

/** What is wrong with a value, and where. */
export interface Fault {
  path: string;
  text: string;
}

export interface Words {
  /** False if the texts have none for this code: then the words are the server's. */
  known: boolean;
  title: string;
  /** What it means and what to do. Null if the title says all. */
  text: string | null;
  faults: Fault[];
}

const ACCESS_DENIED = 'mlp.gate.access_denied';
const OURS = /^(?:mlp\.|mlp-action\.|account\.|accountsadmin\.|client\.)/;
const HTTP = /^http\.\d+$/;
const PLACES = /\{\{(\w+)\}\}/g;

/** The text of the key with its values; null if there is none, or a value that it needs did not come. */
export function textOf(language: i18n, key: string, values: Readonly<Record<string, string>> = {}): string | null {
  const full = `${PROBLEMS}:${key}`;
  if (!language.exists(full)) return null;
  const bare = language.t(full, { skipInterpolation: true });
  if ([...bare.matchAll(PLACES)].some(([, name = '']) => !values[name])) return null;
  return language.t(full, { ...values });
}

/** The error in the reader's language. Where a text is missing, the server's message. */
export function wordsOf(problem: Problem, language: i18n): Words {
  const { code, status, message } = problem;
  const values = valuesOf(code, problem.args, language);
  const key = HTTP.test(code) ? 'http' : `code.${code}`;
  const shown = { ...values, ...(HTTP.test(code) ? { status: String(status) } : {}) };
  const title = textOf(language, `${key}.title`, shown);
  if (title)
    return {
      known: true,
      title,
      text: lackOf(problem, shown, language) ?? textOf(language, `${key}.text`, shown) ?? (message || null),
      faults: faultsOf(problem, language),
    };
  return { known: false, title: untitled(problem, language), text: message || null, faults: [] };
}

/** What a refused reader lacks, if the error says it. */
function lackOf({ code, args }: Problem, shown: Readonly<Record<string, string>>, language: i18n): string | null {
  const lack = code === ACCESS_DENIED ? ['permission', 'role', 'feature'].find((name) => args[name]) : undefined;
  return lack === undefined ? null : textOf(language, `denied.${lack}`, shown);
}

/** Codes of other forms are the model's own. */
function untitled({ code, status }: Problem, language: i18n): string {
  if (!status) return language.t('Error:noAnswer');
  return (OURS.test(code) || HTTP.test(code) ? null : textOf(language, 'ofService')) ?? language.t('Error:refused');
}

function faultsOf({ code, args, violations }: Problem, language: i18n): Fault[] {
  if (violations)
    return violations.map((violation) => ({ path: violation.path, text: violationText(violation, language) }));
  // A server that names no rules.
  return code === VALIDATION_FAILED ? Object.entries(args).map(([path, text]) => ({ path, text })) : [];
}

export function violationText({ rule, args, message }: Violation, language: i18n): string {
  return textOf(language, `rule.${rule}`, valuesOf(rule, args, language)) ?? message;
}

/** What is said at the form's field that the error names. */
export function fieldText(problem: Problem, path: string, message: string, language: i18n): string {
  const violation = problem.violations?.find((one) => one.path === path);
  if (violation) return violationText(violation, language);
  if (problem.code === VALIDATION_FAILED) return message;
  return textOf(language, `code.${problem.code}.text`, valuesOf(problem.code, problem.args, language)) ?? message;
}
