import { defineConfig } from '@playwright/test';

/** One page at a time: measurements beside each other would measure each other. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.vitals.ts',
  outputDir: '../../node_modules/.cache/vitals',
  workers: 1,
  timeout: 90_000,
  reporter: [['line']],
  use: {
    baseURL: process.env['MLP_URL'] ?? 'http://localhost:8080',
    locale: 'ru-RU',
    launchOptions: {
      ...(process.env['MLP_CHROMIUM'] ? { executablePath: process.env['MLP_CHROMIUM'] } : {}),
      args: ['--no-sandbox'],
    },
  },
});
