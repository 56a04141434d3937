/** Fields of a settings form as data: their controls, and their conversion to and from the server's values. */
export type Kind =
  | 'text' | 'area' | 'number' | 'switch' | 'select' | 'tags' | 'numbers'
  /** Text that contains JSON, and a value that is edited as JSON. */
  | 'jsonText' | 'jsonValue';

export interface FieldSpec {
  path: string;
  kind: Kind;
  options?: readonly string[];
  /** An optional number; empty is `null`. */
  optional?: boolean;
  min?: number;
  max?: number;
  decimals?: number;
  /** Shown only if the switch at this path is on. */
  when?: string;
}

export type Values = Record<string, unknown>;

const asValues = (value: unknown): Values => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {});

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
  for (const { path, kind } of fields) values = withValue(values, path, control(kind, valueAt(source, path)));
  return values;
}

function control(kind: Kind, value: unknown): unknown {
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

/** The server's top-level fields that changed; a block is sent whole, including values that the form does not show. */
export function changes(fields: readonly FieldSpec[], values: Values, source: Values): Values {
  const before = shown(fields, source);
  let changed: Values = {};
  for (const { path, kind } of fields) {
    const now = valueAt(values, path);
    if (JSON.stringify(now) === JSON.stringify(valueAt(before, path))) continue;
    const [block = '', ...inside] = path.split('.');
    if (inside.length && !(block in changed)) changed = { ...changed, [block]: asValues(source[block]) };
    changed = withValue(changed, path, wire(kind, now));
  }
  return changed;
}

function wire(kind: Kind, value: unknown): unknown {
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

export type FieldFault = 'required' | 'json' | 'numbers' | 'positive';

/** Errors that can be found without the server. */
export function faultIn(field: FieldSpec, value: unknown): FieldFault | null {
  const { kind, optional = false, min } = field;
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
