import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { leavable } from './router-parts.ts';

const FOLDER = 'node_modules/react-router/dist/production';

test('what only makes something is marked, and its name for tools is gone', () => {
  expect(
    leavable(
      'var Link = React10.forwardRef(\n  function LinkWithRef() {}\n);\nLink.displayName = "Link";\nlet x = React.memo(y);',
    ),
  ).toBe('var Link = /* @__PURE__ */ React10.forwardRef(\n  function LinkWithRef() {}\n);\n\nlet x = React.memo(y);');
});

test("the router's build still has what this looks for", () => {
  const code = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'))
    .join('\n');
  for (const part of ['Link', 'NavLink', 'Form']) {
    expect(code).toMatch(new RegExp(`^var ${part} = React\\d*\\.forwardRef\\(`, 'm'));
    expect(leavable(code)).not.toContain(`${part}.displayName`);
  }
});
