/** The schema of a service's request: JSON Schema with definitions, as far as the forms need it. */
export interface Schema {
  root: Record<string, unknown>;
  definitions: Record<string, unknown>;
}

export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

export type Node = Record<string, unknown>;

const DEEPEST = 6;
export const asNode = (value: unknown): Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The schemas of `predict` in the SDK's descriptor: `{methods: {predict: {input: {data, config}}}, definitions}`. */
export function schemasIn(document: unknown): { data: Schema | null; config: Schema | null } {
  const { methods, definitions } = asNode(document);
  const input = asNode(asNode(asNode(methods).predict).input);
  const schema = (value: unknown): Schema | null =>
    Object.keys(asNode(value)).length ? { root: asNode(value), definitions: asNode(definitions) } : null;
  return { data: schema(input.data), config: schema(input.config) };
}

/** Resolves references, and nullable values to their other type. A circular reference resolves to any value. */
export function resolved(node: unknown, definitions: Node): Node {
  let current = asNode(node);
  for (let step = 0; step < DEEPEST; step += 1) {
    const reference =
      typeof current.$ref === 'string'
        ? /^#\/(?:definitions|\$defs|components\/schemas)\/(.+)$/.exec(current.$ref)?.[1]
        : undefined;
    const options = list(current.anyOf ?? current.oneOf)
      .map(asNode)
      .filter(({ type }) => type !== 'null');
    if (reference !== undefined) current = asNode(definitions[reference]);
    else if (options.length === 1) current = { ...current, anyOf: undefined, oneOf: undefined, ...options[0] };
    else return current;
  }
  return {};
}

export function typeOf(node: unknown, definitions: Node, depth = 0): string {
  const found = resolved(node, definitions);
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (Array.isArray(found.enum)) return found.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (found.type === 'array') return depth < DEEPEST ? `${typeOf(found.items, definitions, depth + 1)}[]` : 'array';
  if (typeof found.type === 'string') return found.type;
  const options = list(found.anyOf ?? found.oneOf);
  return options.length && depth < DEEPEST
    ? options.map((option) => typeOf(option, definitions, depth + 1)).join(' | ')
    : 'any';
}

export function fieldsIn({ root, definitions }: Schema): Field[] {
  const found = resolved(root, definitions);
  const required = new Set(list(found.required));
  return Object.entries(asNode(found.properties)).map(([name, node]) => ({
    name,
    type: typeOf(node, definitions),
    required: required.has(name),
    description: textOf(asNode(node).description) ?? textOf(resolved(node, definitions).description) ?? '',
  }));
}

const MOST_ROWS = 200;
const DEEPEST_ROW = 4;

/** All fields with those inside objects and lists of objects, each with its path (`spec.rate`, `items[].name`). */
export function nestedFieldsIn({ root, definitions }: Schema): Field[] {
  const rows: Field[] = [];
  const add = (node: unknown, path: string, depth: number) => {
    for (const field of fieldsIn({ root: asNode(node), definitions })) {
      if (rows.length >= MOST_ROWS) return;
      const name = path + field.name;
      rows.push({ ...field, name });
      if (depth >= DEEPEST_ROW) continue;
      const inner = resolved(asNode(resolved(node, definitions).properties)[field.name], definitions);
      if (inner.type === 'array') add(inner.items, `${name}[].`, depth + 1);
      else add(inner, `${name}.`, depth + 1);
    }
  };
  add(root, '', 1);
  return rows;
}

/** The allowed values of a text field. */
export function allowedValues(schema: Schema | null, name: string): string[] | null {
  if (!schema) return null;
  const field = resolved(asNode(resolved(schema.root, schema.definitions).properties)[name], schema.definitions);
  const values = list(field.enum).filter((value) => typeof value === 'string');
  return values.length ? values : null;
}

/** An example request: required fields, and fields with a default or an example. */
export function exampleOf({ root, definitions }: Schema): unknown {
  return example(root, definitions, 0);
}

function example(node: unknown, definitions: Node, depth: number): unknown {
  const found = resolved(node, definitions);
  const [given] = list(found.examples);
  const fixed = found.example ?? given ?? found.const ?? list(found.enum)[0];
  if (fixed !== undefined) return fixed;
  if (found.default !== undefined && found.default !== null) return found.default;
  if (depth > DEEPEST) return null;
  switch (found.type) {
    case 'object': {
      const required = new Set(list(found.required));
      const properties = Object.entries(asNode(found.properties)).filter(([name]) => required.has(name));
      return Object.fromEntries(properties.map(([name, one]) => [name, example(one, definitions, depth + 1)]));
    }
    case 'array':
      return [example(found.items, definitions, depth + 1)];
    case 'integer':
    case 'number':
      return typeof found.minimum === 'number' ? found.minimum : 0;
    case 'boolean':
      return false;
    case 'string':
      return typeof found.minLength === 'number' && found.minLength > 0 ? 'string' : '';
    default:
      return null;
  }
}
