import type { Plugin, Rolldown } from 'vite';

import { PARTS } from '../src/early/parts.ts';
import { withImports } from './build-facts.ts';

const MODULE = '/src/early/main.ts';
const ASSETS = 'assets/';

/**
 * Builds the script that runs before the application, and writes into the page the names of the files that it may ask for. The
 * script is a file and the names are data, so the page's policy needs no exception.
 */
export function earlyFiles(root: string): Plugin {
  return {
    name: 'early-files',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: root + MODULE.slice(1), name: 'early' });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, filename }) {
        if (!bundle || !filename.endsWith('/index.html')) return html;
        const chunks = Object.values(bundle).filter((file): file is Rolldown.OutputChunk => file.type === 'chunk');
        const early = chunkOf(chunks, MODULE.slice(1));
        return {
          html,
          tags: [
            {
              tag: 'script',
              attrs: { type: 'application/json', id: 'files-of-parts' },
              children: JSON.stringify(filesOf(chunks, html)),
              injectTo: 'head',
            },
            {
              tag: 'script',
              attrs: { type: 'module', async: true, crossorigin: true, src: `/${early.fileName}` },
              injectTo: 'head-prepend',
            },
          ],
        };
      },
    },
  };
}

function chunkOf(chunks: readonly Rolldown.OutputChunk[], module: string): Rolldown.OutputChunk {
  const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}`)));
  if (!found) throw new Error(`no file of the build holds ${module}`);
  return found;
}

/** The files of each part that the page does not load anyway: numbers of names, since parts share files. */
function filesOf(
  chunks: readonly Rolldown.OutputChunk[],
  html: string,
): { names: string[]; parts: Record<string, number[]> } {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const names: string[] = [];
  const numberOf = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  const parts = Object.entries(PARTS).map(([part, modules]) => {
    const wanted = [
      ...withImports(
        modules.map((module) => chunkOf(chunks, module).fileName),
        byName,
      ),
    ];
    const styles = wanted.flatMap((name) => [...(byName.get(name)?.viteMetadata?.importedCss ?? [])]);
    const own = [...new Set([...wanted, ...styles])].filter((name) => !html.includes(name));
    return [part, own.map((name) => numberOf(name.replace(ASSETS, '')))] as const;
  });
  return { names, parts: Object.fromEntries(parts) };
}
