import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

import { buildFrom, firstLoadLimit, versionFile } from './scripts/build-facts.ts';
import { compressedFiles } from './scripts/compressed.ts';
import { earlyFiles } from './scripts/early-files.ts';
import { firstFiles } from './scripts/first-files.ts';
import { headings } from './scripts/headings.ts';
import { localeParts } from './scripts/locale-parts.ts';
import { mantineStyles } from './scripts/mantine-styles.ts';
import { sdkWheel } from './scripts/sdk-wheel.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const platform = process.env.MLP_URL ?? 'http://localhost:8080';

/** The package exports its development build to every bundler. */
const router = { find: /^react-router$/, replacement: here('node_modules/react-router/dist/production/index.mjs') };

export default defineConfig(({ command, mode }) => ({
  plugins: [
    react(),
    headings(),
    localeParts(),
    earlyFiles(here('.')),
    firstFiles(here('.')),
    mantineStyles(here('.')),
    sdkWheel(here('..')),
    versionFile(buildFrom(process.env, new Date())),
    firstLoadLimit({
      page: 'the catalogue',
      modules: ['src/main.tsx', 'src/routes/CatalogPage.tsx', 'src/locales/ru.json?first'],
      limit: 190_000,
    }),
    firstLoadLimit({
      page: "a service's settings",
      modules: [
        'src/main.tsx',
        'src/locales/ru.json?first',
        'src/locales/ru.json?rest',
        'src/app/Workspace.tsx',
        'src/routes/workspace/OwnServicePage.tsx',
        'src/features/settings/SettingsTab.tsx',
      ],
      limit: 250_000,
    }),
    // `make run` asks for `quick`; packages and images get the smallest files.
    compressedFiles(process.env.MLP_COMPRESSION === 'quick' ? 'quick' : 'best'),
  ],
  resolve: {
    alias: [{ find: '@', replacement: here('./src') }, ...(command === 'build' && mode !== 'test' ? [router] : [])],
  },
  build: {
    // Two entries of one build: the application, and the pages where people sign in.
    // A file lists the names of those that it may load later, so names are short.
    rolldownOptions: {
      input: { app: here('./index.html'), accounts: here('./accounts.html') },
      output: { chunkFileNames: 'assets/c-[hash].js' },
    },
    // What is large is asked for when it is needed; how much a first visit loads has a limit of its own.
    chunkSizeWarningLimit: 2000,
  },
  // The pages of the documentation are beside this folder.
  server: { fs: { allow: [here('.'), here('../docs')] }, proxy: { '/api': platform, '/version': platform } },
  test: {
    environment: 'jsdom',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A document and a module graph for each file take three times as long as the tests do.
    isolate: false,
    setupFiles: ['./src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
  },
}));
