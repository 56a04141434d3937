/** A conversation with a language model, and functions that add answers to it. */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface CompletionSettings {
  system: string;
  model: string;
  temperature: number | null;
  maxTokens: number | null;
}

export const NO_SETTINGS: CompletionSettings = { system: '', model: '', temperature: null, maxTokens: null };

/** By the task type, language model and messages are the request, everything else is the config. */
export function completionCall(
  messages: readonly Message[],
  settings: CompletionSettings,
): { data: object; config: object } {
  const system: Message[] = settings.system.trim() ? [{ role: 'system', content: settings.system.trim() }] : [];
  return {
    data: {
      ...(settings.model.trim() ? { model: settings.model.trim() } : {}),
      messages: [...system, ...messages],
      stream: true,
    },
    config: {
      ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
      ...(settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens }),
    },
  };
}

interface Choice {
  message?: { content?: unknown } | null;
  delta?: { content?: unknown } | null;
}

/** The text of a part: streamed parts have a delta, whole answers a message. */
export function addedText(part: unknown): string {
  const choice = (part as { choices?: Choice[] } | null)?.choices?.[0];
  const content = choice?.delta?.content ?? choice?.message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((piece) => (piece as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('');
}

export interface TokenUsage {
  prompt: number;
  completion: number;
}

export function usageOf(part: unknown): TokenUsage | null {
  const usage = (part as { usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null } | null)?.usage;
  if (typeof usage?.prompt_tokens !== 'number' || typeof usage.completion_tokens !== 'number') return null;
  return { prompt: usage.prompt_tokens, completion: usage.completion_tokens };
}

/** One message of a bot. */
export type Reply =
  | { kind: 'text'; text: string }
  | { kind: 'buttons'; buttons: string[] }
  | { kind: 'image' | 'audio'; url: string };

/** Only https addresses are shown, since any tenant may run the bot. */
export function repliesOf(answer: unknown): Reply[] | null {
  const given = (answer as { replies?: unknown } | null)?.replies;
  if (!Array.isArray(given)) return null;
  return given.flatMap((one): Reply[] => {
    const { type, text, buttons, imageUrl, audioUrl } = (one ?? {}) as Record<string, unknown>;
    if (type === 'text' && typeof text === 'string') return [{ kind: 'text', text }];
    if (type === 'buttons' && Array.isArray(buttons))
      return [{ kind: 'buttons', buttons: buttons.filter((button) => typeof button === 'string') }];
    if (type === 'image' && isSecure(imageUrl)) return [{ kind: 'image', url: imageUrl }];
    return type === 'audio' && isSecure(audioUrl) ? [{ kind: 'audio', url: audioUrl }] : [];
  });
}

function isSecure(address: unknown): address is string {
  return typeof address === 'string' && address.startsWith('https://');
}
