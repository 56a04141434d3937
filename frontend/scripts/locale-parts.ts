import { readFileSync } from 'node:fs';

import type { Plugin } from 'vite';

import { partOf } from '../src/lib/firstSections.ts';

const PART = /\.json\?(first|rest|later)$/;

/** Splits a file of texts: `x.json?first` has the sections that each visit needs at once, `x.json?later` those of rare pages, `x.json?rest` all others. */
export function localeParts(): Plugin {
  return {
    name: 'locale-parts',
    enforce: 'pre',
    load(id) {
      const part = PART.exec(id)?.[1];
      if (!part) return null;
      const path = id.replace(/\?.*$/, '');
      this.addWatchFile(path);
      const sections = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>;
      const own = Object.entries(sections).filter(([name]) => partOf(name) === part);
      // As a string: browsers parse JSON faster than an object of JavaScript.
      return {
        code: `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(own)))});`,
        moduleType: 'js',
        map: null,
      };
    },
  };
}
