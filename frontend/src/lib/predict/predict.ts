import { NO_ANSWER, type Problem, problemOf } from '@/api/problem';

/** One answer of a model, with the gateway's headers. */
export interface Answered {
  body: unknown;
  requestId: string | null;
  /** Milliseconds: inside the service as it reports, and measured here. */
  serviceMs: number | null;
  totalMs: number;
  /** What the call waited for before an instance got it, and for how long; null if it did not wait. */
  wait: { phase: WaitPhase; ms: number } | null;
  /** What the gateway charged for the call, in units of the service and in its currency; null if it does not say. */
  units: number | null;
  cost: number | null;
}

export type WaitPhase = 'start' | 'queue' | 'batch';

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

/** Calls a model. Not with the generated client: bodies depend on the model, and calls may take long. */
export function predict(request: PredictRequest, signal: AbortSignal): Promise<Outcome> {
  const withConfig = request.config !== undefined;
  const body = withConfig ? { data: request.data, config: request.config } : request.data;
  return called(path(request, withConfig ? 'predict-with-config' : 'predict'), body, signal, async (response) =>
    parsedOr(await response.text()),
  );
}

/** Calls a model without signing in, if its owner allows it. */
export function tryOut(request: PredictRequest, signal: AbortSignal): Promise<Outcome> {
  return called(path(request, 'try'), request.data, signal, async (response) => parsedOr(await response.text()));
}

/** The same for a streamed answer: passes on each part as it arrives; the answer's body is the list of all parts. */
export function predictStream(
  request: PredictRequest,
  onPart: (part: unknown) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  // This call takes data and config as texts that contain JSON.
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

/** An answer that failed after it began: the status was already sent, so its last line is the error. */
class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

function isRefusal(part: unknown): part is { status: number } {
  const { code, status, requestId } = (typeof part === 'object' && part ? part : {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof status === 'number' && status >= 400 && typeof requestId === 'string';
}

async function called(
  address: string,
  body: unknown,
  signal: AbortSignal,
  read: (response: Response) => Promise<unknown>,
): Promise<Outcome> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    if (!response.ok)
      return { problem: problemOf(response.status, parsedOr(await response.text())), totalMs: elapsed() };
    const answered = await read(response);
    const { headers } = response;
    return {
      answer: {
        body: answered,
        requestId: headers.get('Z-requestId'),
        serviceMs: amountIn(headers, 'Z-Server-Time'),
        totalMs: elapsed(),
        wait: waitIn(headers),
        units: amountIn(headers, 'MLP-Units'),
        cost: amountIn(headers, 'MLP-Cost'),
      },
    };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof Refused) return { problem: error.problem, totalMs: elapsed() };
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { status: 0, code: NO_ANSWER, message, args: {}, requestId: null }, totalMs: elapsed() };
  }
}

function amountIn(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  const amount = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(amount) && amount >= 0 ? amount : null;
}

const PHASES = ['start', 'queue', 'batch'] as const;

function waitIn(headers: Headers): Answered['wait'] {
  const phase = PHASES.find((known) => known === headers.get('Z-Wait-Phase'));
  const ms = amountIn(headers, 'Z-Wait-Ms');
  return phase && ms !== null ? { phase, ms } : null;
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Lines of a body that arrives in any pieces; a character may be split between two. */
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
    // Not awaited: cancelling the source may take time.
    reader.cancel().catch(() => undefined);
  }
}
