import { useState } from 'react';

import { type InputKind, inputKind } from '@/lib/taskTypes';

import { textsOf } from './shapes';

export type Parsed = { ok: true; value: unknown } | { ok: false };

export function parsed(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
}

const written = (value: unknown) => JSON.stringify(value, null, 2);

/** The request's value for a form field. */
export function linesOf(kind: InputKind, value: unknown): string {
  if (kind === 'texts') return (textsOf(value) ?? []).join('\n');
  const text = (value as { text?: unknown } | null)?.text;
  return typeof text === 'string' ? text : '';
}

/** Sets the form's text in the request; other fields stay. */
export function withLines(kind: InputKind, value: unknown, lines: string): unknown {
  const others = fieldsOf(value);
  return kind === 'texts' ? { ...others, texts: lines.split('\n') } : { ...others, text: lines };
}

/** The fields of a request; none if it is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The request as JSON text and, for some task types, as a form. Both edit the same text. */
export function useDraft(taskType: string, first: unknown) {
  const kind = inputKind(taskType);
  const [text, setText] = useState(() => written(first));
  const [raw, setRaw] = useState(kind === 'json');
  const value = parsed(text);
  const fields = fieldsOf(value.ok ? value.value : null);
  return {
    kind,
    text,
    setText,
    value,
    fields,
    setValue: (chosen: unknown) => setText(written(chosen)),
    /** A field without a value is omitted. */
    setFields: (part: Record<string, unknown>) => setText(written({ ...fields, ...part })),
    // Invalid JSON can only be edited as text.
    raw: raw || !value.ok,
    setRaw,
    lines: value.ok ? linesOf(kind, value.value) : '',
    setLines: (lines: string) => setText(written(withLines(kind, value.ok ? value.value : {}, lines))),
  };
}

export type Draft = ReturnType<typeof useDraft>;

/** Whether the request of a service that takes a file has none yet. The service would refuse it. */
export function lacksFile({ kind, fields }: Pick<Draft, 'kind' | 'fields'>): boolean {
  const content = kind === 'audio' ? fields.audio_base64 : kind === 'file' ? fields.file_base64 : undefined;
  return (kind === 'audio' || kind === 'file') && (content === undefined || content === '');
}
