import type { Plugin } from 'vite';

const ROUTER = /\/node_modules\/react-router\/dist\/production\/[\w-]+\.mjs$/;
/** Names for developer tools. */
const NAMES = /^\w+\.displayName = "[^"]*";$/gm;
const MADE = /^(var \w+ = )(React\d*\.(?:forwardRef|createContext|memo)\()/gm;

/** Lets a build leave out the parts of the router that nothing uses: its links and forms, and what its framework loads pages with. Bundlers keep what is given a name, or made by a call of which they do not know that it only makes something. */
export function routerParts(): Plugin {
  return {
    name: 'router-parts',
    apply: 'build',
    transform: (code, id) => (ROUTER.test(id) ? { code: leavable(code), map: null } : null),
  };
}

export const leavable = (code: string): string => code.replace(NAMES, '').replace(MADE, '$1/* @__PURE__ */ $2');
