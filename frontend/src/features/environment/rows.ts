import { MASK } from '@/lib/format/mask';

/** The environment of a service as table rows: values and references to secrets. */
export interface Row {
  id: number;
  name: string;
  kind: 'value' | 'secret';
  /** The value, or the name of the secret. */
  value: string;
}

export interface Sent {
  env: string;
  secretEnv: Record<string, string>;
}

export const isHidden = ({ kind, value }: Row) => kind === 'value' && value.includes(MASK);

export function rowsOf(env: string | null, secretEnv: Record<string, string>): Row[] {
  const plain = parsed(env).map(([name, value]) => ({ name, kind: 'value' as const, value }));
  const secret = Object.entries(secretEnv).map(([name, value]) => ({ name, kind: 'secret' as const, value }));
  return [...plain, ...secret].map((row, id) => ({ id, ...row }));
}

/** A mask is sent back unchanged: it stands for the stored value. */
export function sentOf(rows: readonly Row[]): Sent {
  const of = (kind: Row['kind']) =>
    Object.fromEntries(rows.filter((row) => row.kind === kind).map(({ name, value }) => [name, value]));
  return { env: JSON.stringify(of('value')), secretEnv: of('secret') };
}

export type RowFault = 'name' | 'twice' | 'secret';

/** Errors that can be found without the server. */
export function faultOf(row: Row, rows: readonly Row[]): RowFault | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(row.name)) return 'name';
  if (rows.some((other) => other.id !== row.id && other.name === row.name)) return 'twice';
  return row.kind === 'secret' && !row.value ? 'secret' : null;
}

function objectOf(env: string | null): object | null {
  try {
    const found: unknown = env ? JSON.parse(env) : {};
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

/** The stored text is the JSON object of the environment; false for what older versions or other programs stored. */
export const isReadable = (env: string | null) => objectOf(env) !== null;

function parsed(env: string | null): [string, string][] {
  const found = objectOf(env);
  return found
    ? Object.entries(found).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
    : [];
}

/** All rows as one list, also those with the same name or without one. */
export const writeRows = (rows: readonly Row[]) => rows.map(({ name, kind, value }) => ({ name, [kind]: value }));

/** Each item has a name, and a value or the name of a secret. */
export function readRows(document: unknown): Row[] | null {
  if (!Array.isArray(document)) return null;
  const rows = (document as unknown[]).map((one, id): Row | null => {
    if (typeof one !== 'object' || one === null) return null;
    const { name, value, secret, ...others } = one as Record<string, unknown>;
    if (typeof name !== 'string' || Object.keys(others).length) return null;
    if (typeof value === 'string' && secret === undefined) return { id, name, kind: 'value', value };
    return typeof secret === 'string' && value === undefined ? { id, name, kind: 'secret', value: secret } : null; // pragma: allowlist secret
  });
  return rows.every((row) => row !== null) ? rows : null;
}

/** The server's names of errors by row; `rest`: it named something else. The error of `env` as a whole names the variable in its text. */
export function refusedOf(
  args: Record<string, string>,
  rows: readonly Row[],
): { rows: Record<number, string>; rest: boolean } {
  const found: Record<number, string> = {};
  let rest = false;
  for (const [path, text] of Object.entries(args)) {
    const named = path.startsWith('secretEnv.') ? path.slice('secretEnv.'.length) : null;
    const row = rows.find(({ name, kind }) =>
      named === null
        ? path === 'env' && kind === 'value' && name && new Set(text.split(/[\s':]+/)).has(name)
        : name === named && kind === 'secret',
    );
    if (row) found[row.id] = path;
    else rest = true;
  }
  return { rows: found, rest };
}
