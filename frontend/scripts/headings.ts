import { readFileSync } from 'node:fs';

import type { Plugin } from 'vite';

const SUFFIX = '.md?headings';

/** `sections` are the headings of the second level; `headings` are all below the title, in the order of the page. */
export interface Headings {
  title: string;
  sections: string[];
  headings: string[];
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
      return {
        code: `export default ${JSON.stringify(headingsOf(readFileSync(path, 'utf8')))};`,
        moduleType: 'js',
        map: null,
      };
    },
  };
}

export function headingsOf(text: string): Headings {
  const found = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^(#+) (.*)$/gm)].map(
    ([, level = '', heading = '']) => ({ level: level.length, heading: heading.replaceAll('`', '').trim() }),
  );
  const of = (wanted: (level: number) => boolean) =>
    found.filter(({ level }) => wanted(level)).map(({ heading }) => heading);
  return {
    title: of((level) => level === 1)[0] ?? '',
    sections: of((level) => level === 2),
    headings: of((level) => level > 1),
  };
}
