import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { NO_ANSWER } from '@/api/problem';

import { sendFile } from './sendFile';

/** What a request sends, and what the test lets happen to it: the simulated browser loses the content of files. */
class Request extends EventTarget {
  static last: Request;
  upload = new EventTarget();
  headers: Record<string, string> = {};
  status = 0;
  responseText = '';
  opened: string[] = [];
  body: unknown;

  constructor() {
    super();
    Request.last = this;
  }

  open(...opened: string[]) {
    this.opened = opened;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(body: unknown) {
    this.body = body;
  }
  abort() {
    this.dispatchEvent(new Event('abort'));
  }
  answer(status: number, text: string) {
    Object.assign(this, { status, responseText: text });
    this.dispatchEvent(new Event('load'));
  }
}

beforeEach(() => {
  vi.stubGlobal('XMLHttpRequest', Request);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function sending(body: Blob | FormData) {
  const controller = new AbortController();
  const onProgress = vi.fn<(share: number) => void>();
  const sent = sendFile({ method: 'PUT', url: '/there', body, onProgress, signal: controller.signal });
  return { sent, onProgress, controller, request: Request.last };
}

test.each([
  ['text/csv', 'text/csv'],
  ['', 'application/octet-stream'],
])('a file of the type "%s" is sent itself, as %s', async (type, header) => {
  const body = new File(['x'], 'a.csv', { type });
  const { sent, request } = sending(body);
  expect(request.opened).toEqual(['PUT', '/there']);
  expect(request.headers).toEqual({ 'Content-Type': header });
  expect(request.body).toBe(body);
  request.answer(200, '{"key": "a.csv"}');
  expect(await sent).toEqual({ data: { key: 'a.csv' } });
});

test('the browser names the type of a form', () => {
  expect(sending(new FormData()).request.headers).toEqual({});
});

test('tells how much was sent', () => {
  const { request, onProgress } = sending(new FormData());
  for (const [loaded, total] of [
    [0, 0],
    [5, 10],
  ])
    request.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded, total }));
  expect(onProgress.mock.calls).toEqual([[0], [0.5]]);
});

test('a refusal is a problem, also of a server in front of the platform', async () => {
  const refused = sending(new FormData());
  refused.request.answer(413, '{"code": "mlp.core.object_too_large", "message": "m", "args": {"limit": 5}}');
  expect((await refused.sent).error).toMatchObject({
    status: 413,
    code: 'mlp.core.object_too_large',
    args: { limit: '5' },
  });
  const cut = sending(new FormData());
  cut.request.answer(502, '<html>');
  expect((await cut.sent).error).toMatchObject({ status: 502, code: 'http.502' });
});

test('a connection that broke is no answer, and an ended upload is neither', async () => {
  const broken = sending(new FormData());
  broken.request.dispatchEvent(new Event('error'));
  expect((await broken.sent).error?.code).toBe(NO_ANSWER);
  const ended = sending(new FormData());
  ended.controller.abort();
  expect(await ended.sent).toEqual({});
});
