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
export async function predict(request: PredictRequest, signal: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  const withConfig = request.config !== undefined;
  const address = path(request, withConfig ? 'predict-with-config' : 'predict');
  const body = JSON.stringify(withConfig ? { data: request.data, config: request.config } : request.data);
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const response = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal });
    const answered = await readBody(response);
    if (!response.ok) return { problem: problemOf(response.status, answered), totalMs: elapsed() };
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
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { status: 0, code: NO_ANSWER, message, args: {}, requestId: null }, totalMs: elapsed() };
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
