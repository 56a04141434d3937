/** Recognises answers by their shape; all others are shown as JSON. */

/** Lines of a text area as a list of texts, without empty ones. */
export function textsOf(data: unknown): string[] | null {
  const texts = (data as { texts?: unknown } | null)?.texts;
  return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : null;
}

export interface Entity {
  type: string;
  start: number;
  end: number;
}

/** Entities of each text, in reading order and without overlaps; null if the answer has another shape. */
export function entitiesOf(answer: unknown): Entity[][] | null {
  const lists = (answer as { entities_list?: unknown } | null)?.entities_list;
  if (!Array.isArray(lists)) return null;
  return lists.map((list) => ordered((list as { entities?: unknown } | null)?.entities));
}

function ordered(given: unknown): Entity[] {
  if (!Array.isArray(given)) return [];
  const all = given.flatMap((one) => {
    const { entity_type: type, span } = (one ?? {}) as {
      entity_type?: unknown;
      span?: { start_index?: unknown; end_index?: unknown };
    };
    const [start, end] = [Number(span?.start_index), Number(span?.end_index)];
    return Number.isInteger(start) && Number.isInteger(end) && end > start
      ? [{ type: typeof type === 'string' ? type : '', start, end }]
      : [];
  });
  let last = 0;
  return all
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      const fits = start >= last;
      if (fits) last = end;
      return fits;
    });
}

export function vectorsOf(answer: unknown): number[][] | null {
  const list = (answer as { embedded_texts?: unknown } | null)?.embedded_texts;
  if (!Array.isArray(list) || list.length === 0) return null;
  const vectors = list.map((one) => (one as { vector?: unknown } | null)?.vector);
  return vectors.every((vector): vector is number[] => Array.isArray(vector) && vector.length > 0) ? vectors : null;
}

/** Cosine similarity of two vectors of the same length; 0 if one of them is zero. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  let product = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    product += value * other;
    lengthA += value * value;
    lengthB += other * other;
  }
  return lengthA && lengthB ? product / Math.sqrt(lengthA * lengthB) : 0;
}

/** The answer's audio as base64. */
export function audioOf(answer: unknown): string | null {
  const audio = (answer as { audio_base64?: unknown } | null)?.audio_base64;
  return typeof audio === 'string' && audio.length > 0 && /^[A-Za-z0-9+/=\s]+$/.test(audio) ? audio : null;
}

/** The sampling rate of a speech request, in hertz. */
export function rateOf(request: unknown): number | null {
  const rate = (request as { outputAudioSpec?: { sampleRateHertz?: unknown } | null } | null)?.outputAudioSpec
    ?.sampleRateHertz;
  return typeof rate === 'number' && rate >= 1000 && rate <= 192_000 ? rate : null;
}

export interface Scored {
  label: string;
  /** From 0 to 1; null if the service gives none. */
  score: number | null;
}

const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const list = (value: unknown): unknown[] | null => (Array.isArray(value) ? value : null);

const labelOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

/** The classes of each text, the most likely first. */
export function classesOf(answer: unknown): Scored[][] | null {
  const rows = list((answer as { items_list?: unknown } | null)?.items_list);
  if (!rows) return null;
  return rows.map((row) => {
    const { items, scores } = (row ?? {}) as { items?: unknown; scores?: unknown };
    const found = (list(items) ?? []).map((item, index) => ({
      label: labelOf((item as { value?: unknown } | null)?.value),
      score: number(list(scores)?.[index]),
    }));
    return found.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0));
  });
}

/** Transcripts, the most likely first. */
export function transcriptsOf(answer: unknown): Scored[] | null {
  const heard = list((answer as { alternatives?: unknown } | null)?.alternatives);
  if (!heard) return null;
  return heard.map((one) => {
    const { text, confidence } = (one ?? {}) as { text?: unknown; confidence?: unknown };
    return { label: typeof text === 'string' ? text : '', score: number(confidence) };
  });
}

export function imagesOf(answer: unknown): string[] | null {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return null;
  const images = data.flatMap((one) => {
    const { url, b64_json: encoded } = (one ?? {}) as { url?: unknown; b64_json?: unknown };
    if (typeof encoded === 'string') return [`data:image/png;base64,${encoded}`];
    return typeof url === 'string' && url.startsWith('https://') ? [url] : [];
  });
  return images.length ? images : null;
}
