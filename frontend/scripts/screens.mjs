// Makes screenshots of all screens: `npm run screens -- --only billing --states empty,error --themes dark --widths 390 --languages ru --no-axe`.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values } = parseArgs({
    options: { only: text, states: text, themes: text, widths: text, languages: text, 'no-axe': { type: 'boolean' } },
});
const { 'no-axe': noAxe, ...lists } = values;
const chosen = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
        name,
        list.split(',').map((part) => (name === 'widths' ? Number(part) : part)),
    ]),
);

if (!existsSync('dist/index.html')) {
    console.error('error: dist is missing: build the web interface first (npm run build)');
    process.exit(1);
}
if (Object.keys(values).length === 0) rmSync('e2e/screens', { recursive: true, force: true });
const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const environment = {
    MLP_CHROMIUM: system,
    ...process.env,
    SCREENS: JSON.stringify(noAxe ? { ...chosen, axe: false } : chosen),
};
process.exit(
    spawnSync('npx', ['playwright', 'test', '--config', 'e2e/gallery/gallery.config.ts'], {
        stdio: 'inherit',
        env: environment,
    }).status ?? 1,
);
