import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'node_modules/.cache/e2e',
  workers: 2,
  // Deadlines only end a test that hangs; they say nothing about speed.
  timeout: 240_000,
  expect: { timeout: 60_000, toPass: { timeout: 60_000 } },
  use: {
    navigationTimeout: 60_000,
    baseURL: process.env.MLP_URL ?? 'http://localhost:8080',
    launchOptions: {
      // The system's browser where one is named; Playwright's own else.
      ...(process.env.MLP_CHROMIUM ? { executablePath: process.env.MLP_CHROMIUM } : {}),
      // A microphone that beeps, and is given without a question.
      args: ['--no-sandbox', '--disable-gpu', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    },
  },
});
