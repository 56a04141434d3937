import { defineConfig } from '@playwright/test';

/** Screenshots need no platform, so these run apart from the tests of a platform. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.gallery.ts',
  outputDir: '../../node_modules/.cache/gallery',
  workers: 1,
  fullyParallel: true,
  timeout: 300_000,
  reporter: [['line'], ['./summary.ts']],
  use: {
    launchOptions: {
      ...(process.env['MLP_CHROMIUM'] ? { executablePath: process.env['MLP_CHROMIUM'] } : {}),
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
});
