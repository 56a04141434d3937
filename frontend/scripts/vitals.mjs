// Measures how fast pages of a running platform are on a slow machine and network: `MLP_URL=... MLP_DEMO=... npm run vitals`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const environment = { MLP_CHROMIUM: system, ...process.env };
process.exit(
    spawnSync('npx', ['playwright', 'test', '--config', 'e2e/vitals/vitals.config.ts', ...process.argv.slice(2)], {
        stdio: 'inherit',
        env: environment,
    }).status ?? 1,
);
