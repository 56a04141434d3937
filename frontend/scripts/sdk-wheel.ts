import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { zipSync } from 'fflate';
import { parse } from 'smol-toml';
import type { Plugin } from 'vite';

/** What the SDK consists of, in the order in which pip finds the modules. */
const MEMBERS = ['libs/sdk', 'libs/gateproto'];
const LEFT_OUT = /(?:^|\/)__pycache__(?:\/|$)|\.pyc$/;
/** The oldest time that a zip can hold: the same sources give the same bytes. */
const MADE = '1980-01-01T00:00:00';

interface Project {
  name: string;
  version: string;
  description: string;
  'requires-python': string;
  license: string;
  dependencies: string[];
  'optional-dependencies'?: Record<string, string[]>;
  scripts?: Record<string, string>;
}

export interface Wheel {
  name: string;
  bytes: Uint8Array;
}

/**
 * Adds a wheel of the SDK to the files of the web interface, so that authors install it from their platform: no package index has
 * it, and strangers could take its name there. `root` is the checkout. `SDK_WHEEL` is its path, for the page.
 */
export function sdkWheel(root: string): Plugin {
  const wheel = wheelOf(root);
  const fileName = `assets/${wheel.name}`;
  return {
    name: 'sdk-wheel',
    config: () => ({ define: { SDK_WHEEL: JSON.stringify(fileName) } }),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: wheel.bytes });
    },
  };
}

/**
 * One wheel of the SDK and of the protocol that it speaks (the format: PyPA, "Binary distribution format"). Its version names its
 * content, as the names of all files do that browsers and pip may keep; a version of digits alone would be read as a number.
 */
export function wheelOf(root: string): Wheel {
  const projects = MEMBERS.map((member) => projectOf(join(root, member)));
  const [sdk] = projects;
  if (!sdk) throw new Error('the SDK has no project');
  const files = new Map(MEMBERS.flatMap((member) => filesOf(join(root, member, 'src'))));
  const license = readFileSync(join(root, 'LICENSE'));
  const version = `${sdk.version}+sha${digestOf([...files, ['', Buffer.from(JSON.stringify(projects))], ['LICENSE', license]])}`;
  const name = sdk.name.replaceAll('-', '_');
  const info = `${name}-${version}.dist-info`;
  files.set(`${info}/METADATA`, Buffer.from(metadata(sdk, version, projects)));
  files.set(
    `${info}/WHEEL`,
    Buffer.from('Wheel-Version: 1.0\nGenerator: mlplace\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  );
  files.set(
    `${info}/entry_points.txt`,
    Buffer.from(
      `[console_scripts]\n${Object.entries(sdk.scripts ?? {})
        .map(([command, target]) => `${command} = ${target}\n`)
        .join('')}`,
    ),
  );
  files.set(`${info}/licenses/LICENSE`, license);
  files.set(`${info}/RECORD`, Buffer.from(record(files, `${info}/RECORD`)));
  return {
    name: `${name}-${version}-py3-none-any.whl`,
    bytes: zipSync(Object.fromEntries(files), { mtime: MADE, level: 9 }),
  };
}

function projectOf(folder: string): Project {
  return parse(readFileSync(join(folder, 'pyproject.toml'), 'utf8')).project as unknown as Project;
}

/** The files below a folder by their path in it, in a fixed order. */
function filesOf(folder: string): [string, Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !LEFT_OUT.test(path))
    .toSorted()
    .map((path) => [path.slice(folder.length + 1), readFileSync(path)]);
}

function digestOf(files: Iterable<[string, Buffer]>): string {
  const hash = createHash('sha256');
  for (const [path, content] of files) hash.update(`${path}\n${content.length}\n`).update(content);
  return hash.digest('hex').slice(0, 8);
}

function metadata(sdk: Project, version: string, projects: readonly Project[]): string {
  const own = new Set(projects.map(({ name }) => name));
  const needed = new Set(projects.flatMap(({ dependencies }) => dependencies).filter((one) => !own.has(one)));
  const optional = Object.entries(sdk['optional-dependencies'] ?? {}).flatMap(([extra, packages]) => [
    `Provides-Extra: ${extra}`,
    ...packages.map((one) => `Requires-Dist: ${one}; extra == "${extra}"`),
  ]);
  const lines = [
    'Metadata-Version: 2.4',
    `Name: ${sdk.name}`,
    `Version: ${version}`,
    `Summary: ${sdk.description}`,
    `License-Expression: ${sdk.license}`,
    'License-File: LICENSE',
    `Requires-Python: ${sdk['requires-python']}`,
  ];
  return `${[...lines, ...[...needed].map((one) => `Requires-Dist: ${one}`), ...optional].join('\n')}\n`;
}

function record(files: ReadonlyMap<string, Buffer>, own: string): string {
  const lines = [...files].map(
    ([path, content]) =>
      `${path},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}\n`,
  );
  return `${lines.join('')}${own},,\n`;
}
