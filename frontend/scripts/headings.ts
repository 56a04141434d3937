import { readFileSync } from 'node:fs';

import type { Plugin } from 'vite';

const SUFFIX = '.md?headings';

export interface Headings {
  title: string;
  sections: string[];
}

/** `x.md?headings` is the title of a document and its sections, so that a list of documents need not load them. */
export function headings(): Plugin {
  return {
    name: 'headings',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(SUFFIX)) return null;
      const path = id.slice(0, id.lastIndexOf('?'));
      this.addWatchFile(path);
      return { code: `export default ${JSON.stringify(headingsOf(readFileSync(path, 'utf8')))};`, moduleType: 'js', map: null };
    },
  };
}

export function headingsOf(text: string): Headings {
  const lines = text.replace(/^```[\s\S]*?^```/gm, '').split('\n');
  const of = (level: string) => lines.filter((line) => line.startsWith(`${level} `)).map((line) => line.slice(level.length + 1).replaceAll('`', '').trim());
  return { title: of('#')[0] ?? '', sections: of('##') };
}
