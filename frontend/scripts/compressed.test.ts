import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';

import { compressedFiles } from './compressed.ts';

const LONG = 'const greeting = "hello";\n'.repeat(100);

async function built(
  files: Record<string, string | Buffer>,
  emitted = Object.keys(files),
  compression: 'best' | 'quick' = 'best',
): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'compressed-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const { writeBundle } = compressedFiles(compression);
  // Of a build only the names of its files are read.
  await (writeBundle as unknown as (options: object, bundle: object) => Promise<void>)(
    { dir },
    Object.fromEntries(emitted.map((name) => [name, {}])),
  );
  return dir;
}

test('both variants of a text file decode to the file', async () => {
  const dir = await built({ 'app.js': LONG });
  expect(brotliDecompressSync(readFileSync(join(dir, 'app.js.br'))).toString()).toBe(LONG);
  expect(gunzipSync(readFileSync(join(dir, 'app.js.gz'))).toString()).toBe(LONG);
});

test('a quick build decodes to the file, too, and is larger', async () => {
  const text = Array.from({ length: 3000 }, (_, number) => `const value${number * 7919} = ${number * 104729};`).join(
    '\n',
  );
  const [best, quick] = [await built({ 'app.js': text }), await built({ 'app.js': text }, ['app.js'], 'quick')].map(
    (dir) => readFileSync(join(dir, 'app.js.br')),
  );
  expect(brotliDecompressSync(quick ?? '').toString()).toBe(text);
  expect(quick?.length).toBeGreaterThan(best?.length ?? Infinity);
});

test('files that compression does not help stay alone', async () => {
  const dir = await built({ 'font.woff2': LONG, 'tiny.js': 'x', 'noise.css': randomBytes(2000) });
  expect(readdirSync(dir).toSorted()).toEqual(['font.woff2', 'noise.css', 'tiny.js']);
});

test('files that an installation may replace stay alone', async () => {
  const dir = await built({ 'logo.svg': LONG, 'app.js': LONG }, ['app.js']);
  expect(readdirSync(dir).toSorted()).toEqual(['app.js', 'app.js.br', 'app.js.gz', 'logo.svg']);
});
