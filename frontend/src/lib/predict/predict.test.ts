import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import { server } from '@/testing/server';

import { predict, predictStream } from './predict';

const at = (call: string) => `${window.location.origin}/api/mlpgateway/account/acme/model/m/${call}`;
const REQUEST = { account: 'acme', model: 'm', data: { a: 1 } };

function streams(...pieces: (string | Uint8Array)[]): void {
  server.use(
    http.post(at('predict-with-config-v2-stream'), () => {
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
          controller.close();
        },
      });
      return new HttpResponse(body, { headers: { 'Z-requestId': 'r-7' } });
    }),
  );
}

async function streamed() {
  const parts: unknown[] = [];
  const outcome = await predictStream(REQUEST, (part) => parts.push(part), new AbortController().signal);
  return { parts, outcome };
}

describe('predict', () => {
  test('sends the request as it is, and a config beside it', async () => {
    const sent: unknown[] = [];
    for (const call of ['predict', 'predict-with-config']) {
      server.use(
        http.post(
          at(call),
          async ({ request }) => (sent.push([call, await request.json()]), HttpResponse.json({ ok: true })),
        ),
      );
    }
    await predict(REQUEST, new AbortController().signal);
    await predict({ ...REQUEST, config: { top: 2 } }, new AbortController().signal);
    expect(sent).toEqual([
      ['predict', { a: 1 }],
      ['predict-with-config', { data: { a: 1 }, config: { top: 2 } }],
    ]);
  });

  test('a network that is away is a problem, not an exception', async () => {
    server.use(http.post(at('predict'), () => HttpResponse.error()));
    expect(await predict(REQUEST, new AbortController().signal)).toMatchObject({
      problem: { status: 0, code: 'client.no_answer' },
    });
  });
});

describe('predictStream', () => {
  test('hands on parts in order, wherever the network cuts them', async () => {
    const letters = new TextEncoder().encode('{"t":"привет"}\n');
    streams('{"n":', '1}\n{"n":2}\n', letters.slice(0, 8), letters.slice(8), '{"n":4}');
    const { parts, outcome } = await streamed();
    expect(parts).toEqual([{ n: 1 }, { n: 2 }, { t: 'привет' }, { n: 4 }]);
    expect(outcome).toMatchObject({ answer: { body: parts, requestId: 'r-7' } });
  });

  test('a failure after the first part is the problem of the call', async () => {
    streams(
      '{"n":1}\n',
      '{"code":"mlp.gate.predict_timeout","message":"late","status":504,"args":{},"requestId":"r"}\n',
    );
    const { parts, outcome } = await streamed();
    expect(parts).toEqual([{ n: 1 }]);
    expect(outcome).toMatchObject({ problem: { code: 'mlp.gate.predict_timeout', status: 504 } });
  });

  test('an object of the model that merely has a code is a part', async () => {
    streams('{"code":"x","status":"fine"}\n');
    expect((await streamed()).parts).toEqual([{ code: 'x', status: 'fine' }]);
  });
});
