import { type OutputUnit, type Schema as JsonSchema, Validator } from '@cfworker/json-schema';

import { asNode, list, type Node, resolved, type Schema, typeOf } from './schema';

export type Fault =
  | { kind: 'missing' | 'unknown' | 'value'; name: string }
  | { kind: 'type'; name: string; type: string };

/** The schema may belong to another account: these bounds keep a circular or exponential one from blocking the page. */
const DEEPEST = 12;
const MOST_NODES = 20_000;

const VALUES = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'uniqueItems',
];
const ONE = ['items', 'additionalProperties', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'];
const MANY = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

const isPlain = (value: unknown) => value === null || typeof value !== 'object';

/**
 * The schema as a tree without references. Regular expressions are left out, since they can take exponential time; beyond the
 * bounds every value is accepted, as the service decides.
 */
function treeOf(root: unknown, definitions: Node): JsonSchema | boolean {
  let nodes = 0;
  const copied = (value: unknown, depth: number): JsonSchema | boolean => {
    nodes += 1;
    if (typeof value === 'boolean') return value;
    if (depth > DEEPEST || nodes > MOST_NODES) return true;
    const node = typeof asNode(value).$ref === 'string' ? resolved(value, definitions) : asNode(value);
    const inner = (one: unknown) => copied(one, depth + 1);
    const copy: JsonSchema = {};
    if (typeof node.type === 'string' || Array.isArray(node.type))
      copy.type = node.type as NonNullable<JsonSchema['type']>;
    if (Array.isArray(node.enum) && node.enum.every(isPlain)) copy.enum = node.enum as unknown[];
    if (node.const !== undefined && isPlain(node.const)) copy.const = node.const;
    if (Array.isArray(node.required))
      copy.required = node.required.filter((name): name is string => typeof name === 'string');
    for (const name of VALUES) if (node[name] !== undefined) copy[name] = node[name];
    for (const name of ONE) if (node[name] !== undefined) copy[name] = inner(node[name]);
    for (const name of MANY) if (list(node[name]).length) copy[name] = list(node[name]).map(inner);
    const properties = Object.entries(asNode(node.properties));
    if (properties.length) copy.properties = Object.fromEntries(properties.map(([name, one]) => [name, inner(one)]));
    return node.nullable === true ? { anyOf: [copy, { type: 'null' }] } : copy;
  };
  return copied(root, 0);
}

/** Returns a function that finds the errors that the service would report for a request. */
export function checkOf({ root, definitions }: Schema): (value: unknown) => Fault[] {
  if (resolved(root, definitions).type !== 'object') return () => [];
  const tree = treeOf(root, definitions);
  const validator = new Validator(tree, '2020-12', false);
  return (value) => {
    try {
      return faultsIn(validator.validate(asNode(value)).errors, tree);
    } catch {
      return []; // the schema is invalid
    }
  };
}

export const faultsOf = (schema: Schema, value: unknown): Fault[] => checkOf(schema)(value);

/** Errors of these keywords only repeat that something inside has an error. */
const CONTAINERS = new Set([
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  'allOf',
  'if',
  'then',
  'else',
]);
const CHOICES = new Set(['anyOf', 'oneOf', 'not']);
const TYPES = new Set([...CHOICES, 'type', 'enum', 'const']);
const MISSING = /^Instance does not have required property "(.*)"\.$/s;

function faultsIn(errors: readonly OutputUnit[], tree: JsonSchema | boolean): Fault[] {
  // An alternative that does not fit is no error by itself.
  const choices = errors.filter(({ keyword }) => CHOICES.has(keyword)).map(({ instanceLocation }) => instanceLocation);
  const inChoice = ({ keyword, instanceLocation: at }: OutputUnit) =>
    choices.some((choice) => at.startsWith(`${choice}/`) || (at === choice && !CHOICES.has(keyword)));
  const found = new Map<string, Fault>();
  for (const error of errors) {
    if (CONTAINERS.has(error.keyword) || inChoice(error)) continue;
    const fault = faultOf(error, tree);
    if (!found.has(fault.name)) found.set(fault.name, fault);
  }
  return [...found.values()];
}

function faultOf({ keyword, instanceLocation, error }: OutputUnit, tree: JsonSchema | boolean): Fault {
  const path = instanceLocation
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = path.join('.');
  if (keyword === 'required') return { kind: 'missing', name: [...path, MISSING.exec(error)?.[1] ?? ''].join('.') };
  if (keyword === 'false') return { kind: 'unknown', name };
  return TYPES.has(keyword) ? { kind: 'type', name, type: typeOf(partOf(tree, path), {}) } : { kind: 'value', name };
}

/** The part of the schema that describes the value at a path. */
function partOf(tree: unknown, path: readonly string[]): unknown {
  let node = tree;
  for (const part of path) {
    const { properties, items, prefixItems, additionalProperties } = resolved(node, {});
    node = asNode(properties)[part] ?? list(prefixItems)[Number(part)] ?? items ?? additionalProperties;
  }
  return node;
}
