import { NO_ANSWER, type Problem, problemOf } from '@/api/problem';

/** One answer of a model, with what the gateway says about it. */
export interface Answered {
  body: unknown;
  requestId: string | null;
  /** Milliseconds: inside the service, as it says; and from here to here. */
  serviceMs: number | null;
  totalMs: number;
}

export type Outcome = { answer: Answered } | { problem: Problem; totalMs: number };

export interface PredictRequest {
  account: string;
  model: string;
  data: unknown;
  config?: unknown;
}

function path({ account, model }: PredictRequest, call: string): string {
  return `/api/mlpgateway/account/${encodeURIComponent(account)}/model/${encodeURIComponent(model)}/${call}`;
}

/** Calls a model. Not by the generated client: bodies are the model's own, and a call lasts as long as its model. */
export function predict(request: PredictRequest, signal: AbortSignal): Promise<Outcome> {
  const withConfig = request.config !== undefined;
  const body = withConfig ? { data: request.data, config: request.config } : request.data;
  return called(path(request, withConfig ? 'predict-with-config' : 'predict'), body, signal, async (response) => parsedOr(await response.text()));
}

/** The same for an answer in parts: each is handed on as it comes; the answer's body is the list of all. */
export function predictStream(request: PredictRequest, onPart: (part: unknown) => void, signal: AbortSignal): Promise<Outcome> {
  // This call takes its two parts as texts that hold JSON.
  const body = { data: JSON.stringify(request.data), config: JSON.stringify(request.config ?? {}) };
  return called(path(request, 'predict-with-config-v2-stream'), body, signal, async (response) => {
    const parts: unknown[] = [];
    for await (const line of linesOf(response.body)) {
      const part = parsedOr(line);
      if (isRefusal(part)) throw new Refused(problemOf(part.status, part));
      parts.push(part);
      onPart(part);
    }
    return parts;
  });
}

/** An answer that failed after it had begun: the status was sent, so its last line says so. */
class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

function isRefusal(part: unknown): part is { status: number } {
  const { code, status, requestId } = (typeof part === 'object' && part ? part : {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof status === 'number' && status >= 400 && typeof requestId === 'string';
}

async function called(address: string, body: unknown, signal: AbortSignal, read: (response: Response) => Promise<unknown>): Promise<Outcome> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const response = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal });
    if (!response.ok) return { problem: problemOf(response.status, parsedOr(await response.text())), totalMs: elapsed() };
    const answered = await read(response);
    const serviceMs = Number(response.headers.get('Z-Server-Time') ?? Number.NaN);
    return {
      answer: {
        body: answered,
        requestId: response.headers.get('Z-requestId'),
        serviceMs: Number.isFinite(serviceMs) ? serviceMs : null,
        totalMs: elapsed(),
      },
    };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof Refused) return { problem: error.problem, totalMs: elapsed() };
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { status: 0, code: NO_ANSWER, message, args: {}, requestId: null }, totalMs: elapsed() };
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Lines of a body, whatever pieces it arrives in; a letter may be cut in two between them. */
async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line.trim()) yield line;
      if (done) return;
    }
  } finally {
    // Not waited for: the source may take its time to let go.
    reader.cancel().catch(() => undefined);
  }
}
