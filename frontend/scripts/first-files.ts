import { dirname, join } from 'node:path';

import type { Plugin } from 'vite';

const [APPLICATION, ACCOUNTS, EARLY] = ['src/main.tsx', 'src/accounts.tsx', 'src/early/main.ts'];

/** Modules that only pass on others, of packages of which a build takes what is used. */
const INDEX =
  /\/node_modules\/(@mantine\/(?:core|hooks)|@tabler\/icons-react)\/(?:dist\/)?esm\/(?:index|tabler-icons-react)\.mjs$/;
const NAMED = /\b(?:import|export)\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g;

type Group = 'early' | 'both' | 'first';

export interface Module {
  code: string | null;
  importedIds: readonly string[];
}

type Modules = (id: string) => Module | null;

/**
 * Puts what the application imports at once into few files: what the sign-in pages need too, and the rest. Else there is a file for
 * each set of lazy parts that share a module: dozens of small files, which compress worse and whose names every lazy part lists.
 */
export function firstFiles(root: string): Plugin {
  let groups: ReadonlyMap<string, Group> = new Map();
  const group = (name: Group, priority: number) => ({
    debugName: name,
    name: (id: string) => (groups.get(id) === name ? name : null),
    tags: ['$initial' as const],
    priority,
  });
  return {
    name: 'first-files',
    apply: 'build',
    // A group takes along what its modules import, so the smallest comes first.
    config: () => ({
      build: {
        rolldownOptions: {
          output: { codeSplitting: { groups: [group('early', 3), group('both', 2), group('first', 1)] } },
        },
      },
    }),
    buildEnd() {
      groups = groupsOf([root + APPLICATION, root + ACCOUNTS, root + EARLY], (id) => this.getModuleInfo(id));
    },
  };
}

/** The group of each module that the application's entry imports at once. Entries are files of their own. */
export function groupsOf(
  [application, accounts, early]: readonly [string, string, string],
  modules: Modules,
): Map<string, Group> {
  const [ofAccounts, ofEarly] = [reachable(accounts, modules), reachable(early, modules)];
  const own = [...reachable(application, modules)].filter((id) => id !== application);
  return new Map(own.map((id) => [id, ofEarly.has(id) ? 'early' : ofAccounts.has(id) ? 'both' : 'first']));
}

function reachable(entry: string, modules: Modules): Set<string> {
  const found = new Set([entry]);
  // A set that grows while it is walked is walked to its end.
  for (const id of found) for (const imported of importsOf(id, modules)) found.add(imported);
  return found;
}

function importsOf(id: string, modules: Modules): string[] {
  const { code, importedIds } = modules(id) ?? { code: '', importedIds: [] };
  return importedIds.flatMap((imported) => {
    const from = INDEX.exec(imported)?.[1];
    return from ? filesOf(namesIn(code ?? '', from), imported, modules(imported)?.code ?? '') : [imported];
  });
}

/** Names that a module imports from a package. */
function namesIn(code: string, from: string): Set<string> {
  return new Set(
    [...code.matchAll(NAMED)]
      .filter((found) => found[2] === from)
      .flatMap(([, list = '']) => list.split(',').map((part) => part.trim().replace(/\s+as\s.*/s, ''))),
  );
}

/** The modules from which an index passes on these names. */
function filesOf(names: ReadonlySet<string>, index: string, code: string): string[] {
  const passed = ([, list = '']: readonly string[]) =>
    list.split(',').some((part) => names.has(part.replace(/^.*\sas\s/s, '').trim()));
  return [...code.matchAll(NAMED)].filter(passed).map(([, , path = '']) => join(dirname(index), path));
}
