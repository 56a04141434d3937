import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@': here('./src') } },
  build: {
    // Two entries of one build: the application, and the pages where people sign in.
    rolldownOptions: { input: { app: here('./index.html'), accounts: here('./accounts.html') } },
  },
  server: { proxy: { '/api': process.env.MLP_URL ?? 'http://localhost:8080', '/version': process.env.MLP_URL ?? 'http://localhost:8080' } },
  test: {
    environment: 'jsdom',
    testTimeout: 30_000,
    setupFiles: ['./src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
