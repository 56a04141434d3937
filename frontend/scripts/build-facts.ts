import { gzipSync } from 'node:zlib';

import type { Plugin, Rolldown } from 'vite';

export interface Build {
  buildNumber: string;
  buildDate: string;
  buildBranch: string;
}

/** What the build is called: by its environment, else by its time. The page knows it, and `version.json` says it. */
export function buildFrom(environment: Record<string, string | undefined>, now: Date): Build {
  const date = now.toISOString().slice(0, 19);
  return {
    buildNumber: environment.MLP_BUILD_NUMBER || date.replaceAll(/\D/g, ''),
    buildDate: environment.MLP_BUILD_DATE || date,
    buildBranch: environment.MLP_BUILD_BRANCH || '',
  };
}

export function versionFile(build: Build): Plugin {
  return {
    name: 'version-file',
    config: () => ({ define: { BUILD_FACTS: JSON.stringify(build) } }),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'version.json', source: JSON.stringify(build) });
    },
  };
}

export interface FirstLoad {
  page: string;
  /** Modules whose files a first visit loads, with everything that those import at once. */
  modules: readonly string[];
  limit: number;
}

/** Fails a build whose first visit would load more JavaScript than it may, gzipped, and says how much it is. */
export function firstLoadLimit({ page, modules, limit }: FirstLoad): Plugin {
  return {
    name: `first-load-limit-of-${page}`,
    writeBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file): file is Rolldown.OutputChunk => file.type === 'chunk');
      const wanted = modules.map((module) => {
        const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}`)));
        if (!chunk) throw new Error(`no file of the build holds ${module}`);
        return chunk.fileName;
      });
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const loaded = [...withImports(wanted, byName)];
      if (process.env['MLP_BUNDLE_REPORT'])
        console.warn(
          reportOf(
            page,
            loaded.map((name) => byName.get(name)?.modules ?? {}),
          ),
        );
      const bytes = loaded
        .map((name) => gzipSync(byName.get(name)?.code ?? '', { level: 9 }).length)
        .reduce((sum, one) => sum + one, 0);
      const room = `${Math.floor(100 * (1 - bytes / limit))} % of room`;
      const said = `the first load of ${page} is ${kilobytes(bytes)} of JavaScript, gzipped; it may be ${kilobytes(limit)} (${room})`;
      if (bytes > limit) throw new Error(said);
      console.warn(said);
    },
  };
}

export function withImports(
  wanted: readonly string[],
  chunks: ReadonlyMap<string, { imports: string[] }>,
): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    chunks.get(name)?.imports.forEach(visit);
  };
  wanted.forEach(visit);
  return found;
}

/** What the files hold, by package or folder, the largest first. Gzipped one by one and before they are minified: for comparison with each other. */
export function reportOf(page: string, files: readonly Readonly<Record<string, { code: string | null }>>[]): string {
  const parts = new Map<string, string>();
  for (const [id, { code }] of files.flatMap((modules) => Object.entries(modules))) {
    const part =
      /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ??
      id.replace(/^.*?(src\/[^/]+(?:\/[^/.]+(?=\/))?).*$/, '$1');
    parts.set(part, (parts.get(part) ?? '') + (code ?? ''));
  }
  const sizes = [...parts]
    .map(([part, code]) => [part, gzipSync(code, { level: 9 }).length] as const)
    .toSorted(([, one], [, other]) => other - one);
  return [`${page}:`, ...sizes.map(([part, size]) => `${kilobytes(size).padStart(10)}  ${part}`)].join('\n');
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
