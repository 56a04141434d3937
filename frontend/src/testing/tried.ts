import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';

import type { ExampleData } from '@/api/generated/core.gen';

import { answers, server } from './server';

/** Where the tried service is. */
export const MODEL = '/api/mlpcore/account/acme/model/counter';
/** A service that takes one text. */
export const SCHEMA = JSON.stringify({
  methods: {
    predict: {
      input: { data: { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } } },
    },
  },
});

/** What the server knows of the tried service. */
export function service({ examples = [], schema }: { examples?: ExampleData[]; schema?: string } = {}) {
  answers(`${MODEL}/example`, examples);
  answers(`${MODEL}/action-descriptor`, {
    name: 'counter',
    schemaFiles: schema ? [{ name: 'schema', content: schema }] : [],
    fittable: false,
    methods: {},
  });
  answers(`${MODEL}/predict-config`, []);
}

/** What the playground sends when somebody presses the button without a change. */
export async function firstRequest() {
  const sent: unknown[] = [];
  server.use(
    http.post(
      '*/api/mlpgateway/account/acme/model/counter/predict',
      async ({ request }) => (
        sent.push(await request.json()),
        HttpResponse.json({ words: 2 }, { headers: { 'MLP-Cost': '0.25', 'MLP-Units': '1', 'Z-Server-Time': '4' } })
      ),
    ),
  );
  await userEvent.click(await screen.findByRole('button', { name: /run/i }));
  await screen.findByTestId('answer');
  return sent[0];
}
