import type { ComponentType, ReactNode } from 'react';

/** Fields of a settings form as data: their controls, and their conversion to and from the server's values. */
export type Kind =
  | 'text'
  | 'area'
  | 'number'
  | 'switch'
  | 'select'
  | 'tags'
  | 'numbers'
  /** Text that contains JSON, and a value that is edited as JSON. */
  | 'jsonText'
  | 'jsonValue'
  /** A control of its own, for a value that is edited in another form than it is stored. */
  | 'custom';

export interface CustomControl {
  value: unknown;
  error: ReactNode;
  readOnly: boolean;
  onChange: (value: unknown) => void;
}

export interface CustomField {
  read: (stored: unknown) => unknown;
  write: (edited: unknown) => unknown;
  isFaulty: (edited: unknown) => boolean;
  Control: ComponentType<CustomControl>;
}

export interface FieldSpec {
  path: string;
  kind: Kind;
  custom?: CustomField;
  options?: readonly string[];
  /** An optional number; empty is `null`. */
  optional?: boolean;
  min?: number;
  max?: number;
  decimals?: number;
  /** Shown only if the switch at this path is on. */
  when?: string;
  /** Says why the other fields change: shown once one of them does, sent with it, and empty again after saving. */
  explains?: boolean;
  /** Shown in the control; `currency`: the one that the form says. */
  unit?: Unit;
  /** A text that must not be empty. */
  required?: boolean;
  maxLength?: number;
  inputType?: 'email';
  /** What an empty number means. */
  placeholder?: string;
  /** Key of the label, if it is not `field.<path>` of the form's texts. */
  label?: string;
  /** An address or a path: shown in the font of code. */
  code?: boolean;
  /** Tags without spaces, so a space stands between two. */
  spaced?: boolean;
  /** Tags that may differ only in case. */
  caseSensitive?: boolean;
  /** The control is as wide as a short text. */
  narrow?: boolean;
  /** The right to change the field. What is set already can be switched off or emptied without it. */
  needs?: string;
}

export const UNITS = [
  'seconds',
  'minutes',
  'hours',
  'milliseconds',
  'bytes',
  'megabytes',
  'percent',
  'millicores',
  'perMinute',
  'currency',
] as const;
export type Unit = (typeof UNITS)[number];

/** A group of fields under one heading. */
export interface SectionSpec {
  /** Without one, the page has a heading of its own. */
  title?: string;
  fields: readonly FieldSpec[];
}

/** Key of the field's label in the form's texts. */
export const labelOf = ({ label, path }: FieldSpec) => label ?? `field.${path}`;

/** Whether the field is closed for a user without the right that it needs. */
export function isLocked({ needs, path }: FieldSpec, source: Values, has: (right: string) => boolean): boolean {
  const stored = valueAt(source, path);
  const isSet = Array.isArray(stored)
    ? stored.length > 0
    : stored !== null && stored !== undefined && stored !== false && stored !== '';
  return needs !== undefined && !has(needs) && !isSet;
}

export type Values = Record<string, unknown>;

const asValues = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

export function valueAt(values: Values, path: string): unknown {
  let at: unknown = values;
  for (const part of path.split('.')) at = asValues(at)[part];
  return at;
}

/** A copy with one value changed. */
export function withValue(values: Values, path: string, value: unknown): Values {
  const [first = '', ...rest] = path.split('.');
  return { ...values, [first]: rest.length ? withValue(asValues(values[first]), rest.join('.'), value) : value };
}

/** Values of the form's controls, where `null` is an empty string. */
export function shown(fields: readonly FieldSpec[], source: Values): Values {
  let values: Values = {};
  for (const field of fields) values = withValue(values, field.path, control(field, valueAt(source, field.path)));
  return values;
}

function control({ kind, custom }: FieldSpec, value: unknown): unknown {
  if (custom) return custom.read(value);
  switch (kind) {
    case 'switch':
      return value === true;
    case 'tags':
    case 'numbers':
      return Array.isArray(value) ? value.map(String) : [];
    case 'jsonValue':
      return JSON.stringify(value ?? null, null, 2);
    default:
      return value ?? '';
  }
}

/** The fields that differ between two states of the form. */
export function changedFields(fields: readonly FieldSpec[], values: Values, before: Values): FieldSpec[] {
  return fields.filter(({ path }) => !same(valueAt(values, path), valueAt(before, path)));
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The values after the server's changed: what the user changed stays, the rest is the server's. */
export function rebased(fields: readonly FieldSpec[], values: Values, before: Values, now: Values): Values {
  return changedFields(fields, values, before).reduce(
    (next, { path }) => withValue(next, path, valueAt(values, path)),
    now,
  );
}

/**
 * Where errors of the server stand: at the field that they name, that they name a part of (`languages.0`), or whose block they name.
 * `at`: the server's name by path of the field; `rest`: what belongs to no visible field.
 */
export function placed(
  named: readonly string[],
  fields: readonly FieldSpec[],
): { at: Record<string, string>; rest: string[] } {
  const at: Record<string, string> = {};
  const rest: string[] = [];
  for (const name of named) {
    const field =
      fields.find(({ path }) => name === path || name.startsWith(`${path}.`)) ??
      fields.find(({ path }) => path.startsWith(`${name}.`));
    if (field) at[field.path] ??= name;
    else rest.push(name);
  }
  return { at, rest };
}

/** The server's top-level fields that changed; a block is sent whole, including values that the form does not show. */
export function changes(fields: readonly FieldSpec[], values: Values, source: Values): Values {
  const before = shown(fields, source);
  let changed: Values = {};
  for (const field of fields) {
    const { path } = field;
    const now = valueAt(values, path);
    if (same(now, valueAt(before, path))) continue;
    const [block = '', ...inside] = path.split('.');
    if (inside.length && !(block in changed)) changed = { ...changed, [block]: asValues(source[block]) };
    changed = withValue(changed, path, wire(field, now));
  }
  return changed;
}

function wire({ kind, custom }: FieldSpec, value: unknown): unknown {
  if (custom) return custom.write(value);
  switch (kind) {
    case 'number':
      return value === '' ? null : Number(value);
    case 'numbers':
      return (value as string[]).map(Number);
    case 'jsonValue':
      return JSON.parse(String(value)) as unknown;
    case 'switch':
    case 'tags':
      return value;
    default:
      return value === '' ? null : value;
  }
}

export type FieldFault = 'required' | 'json' | 'numbers' | 'positive' | 'rows';

/** Errors that can be found without the server. */
export function faultIn(field: FieldSpec, value: unknown): FieldFault | null {
  const { kind, optional = false, min, custom, required = false } = field;
  if (required && typeof value === 'string' && !value.trim()) return 'required';
  if (custom) return custom.isFaulty(value) ? 'rows' : null;
  if (kind === 'number' && value === '') return optional ? null : 'required';
  if (kind === 'number' && min === 1 && Number(value) < 1) return 'positive';
  if (kind === 'numbers' && !(value as string[]).every((text) => /^\d+$/.test(text))) return 'numbers';
  if ((kind === 'jsonText' && value !== '') || kind === 'jsonValue') {
    try {
      JSON.parse(String(value));
    } catch {
      return 'json';
    }
  }
  return null;
}
