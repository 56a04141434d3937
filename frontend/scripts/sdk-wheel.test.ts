import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';

import { wheelOf } from './sdk-wheel.ts';

const ROOT = resolve(process.cwd(), '..');
const made = wheelOf(ROOT);
const files = unzipSync(made.bytes);
const text = (ending: string) =>
  strFromU8(files[Object.keys(files).find((path) => path.endsWith(ending)) ?? ''] ?? new Uint8Array());

describe('the wheel of the SDK', () => {
  test('has a name that says what is in it', () => {
    expect(made.name).toMatch(/^mlplace_sdk-\d+\.\d+\.\d+\+sha[0-9a-f]{8}-py3-none-any\.whl$/);
    expect(wheelOf(ROOT)).toEqual(made);
  });

  test('has the SDK, its protocol, and nothing of other packages', () => {
    const packages = new Set(Object.keys(files).map((path) => path.split('/')[0]));
    expect(new Set([...packages].filter((name) => !name?.endsWith('.dist-info')))).toEqual(
      new Set(['mlplace', 'mlplace_gateproto']),
    );
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['mlplace/__init__.py', 'mlplace/py.typed', 'mlplace_gateproto/gate_pb2.py']),
    );
    expect(Object.keys(files).filter((path) => path.includes('__pycache__'))).toEqual([]);
  });

  test('needs what both packages need, in the versions that they pin, and no package of the platform', () => {
    expect(text('METADATA')).toMatch(/^Requires-Dist: grpcio==/m);
    expect(text('METADATA')).toMatch(/^Requires-Dist: httpx==/m);
    expect(text('METADATA')).toMatch(/^Requires-Dist: opentelemetry-sdk==\S+; extra == "tracing"$/m);
    expect(text('METADATA')).not.toMatch(/^Requires-Dist: mlplace/m);
    expect(text('entry_points.txt')).toBe('[console_scripts]\nmlplace = mlplace.__main__:main\n');
  });

  test('records the digest of each file', () => {
    const rows = text('RECORD')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    expect(new Set(rows.map(([path]) => path))).toEqual(new Set(Object.keys(files)));
    expect(rows).toHaveLength(Object.keys(files).length);
    for (const [path = '', digest = '', size = ''] of rows) {
      if (path.endsWith('RECORD')) continue;
      expect(digest).toBe(
        `sha256=${createHash('sha256')
          .update(files[path] ?? '')
          .digest('base64url')}`,
      );
      expect(Number(size)).toBe(files[path]?.length);
    }
  });
});
