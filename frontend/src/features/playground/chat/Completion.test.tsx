import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { server, signedIn } from '@/testing/server';

import Completion from './Completion';

const ADDRESS = '*/api/mlpgateway/account/acme/model/m/predict-with-config-v2-stream';

function answersWith(lines: object[], asked: unknown[] = []) {
  server.use(
    http.post(ADDRESS, async ({ request }) => {
      asked.push(await request.json());
      return new HttpResponse(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }),
  );
  return asked as { data: string; config: string }[];
}

async function say(text: string) {
  await userEvent.type(await screen.findByRole('textbox', { name: 'Your message' }), `${text}{Enter}`);
}

test('an answer is put together from its parts, and the next question carries the whole talk', async () => {
  signedIn();
  const asked = answersWith([
    { choices: [{ delta: { content: 'Hel' } }] },
    { choices: [{ delta: { content: 'lo' } }], usage: { prompt_tokens: 2, completion_tokens: 3 } },
  ]);
  show(<Completion account="acme" model="m" />);
  await say('Hi');
  expect(await screen.findByText('Hello')).toBeInTheDocument();
  expect(await screen.findByText('2 + 3 tokens')).toBeInTheDocument();
  await say('And?');
  await screen.findAllByText('Hello');
  await expect.poll(() => asked.length).toBe(2);
  expect(JSON.parse(asked[1]?.data ?? '')).toMatchObject({
    stream: true,
    messages: [{ content: 'Hi' }, { role: 'assistant', content: 'Hello' }, { content: 'And?' }],
  });
});

test('what came before a failure stays, and the failure is told', async () => {
  signedIn();
  answersWith([
    { choices: [{ delta: { content: 'Half' } }] },
    { code: 'mlp.gate.predict_timeout', message: 'late', status: 504, args: {}, requestId: 'r' },
  ]);
  show(<Completion account="acme" model="m" />);
  await say('Hi');
  expect(await screen.findByRole('alert')).toHaveTextContent('late');
  expect(screen.getByText('Half')).toBeInTheDocument();
});
