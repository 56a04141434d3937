import { type Problem, VALIDATION_FAILED } from '@/api/problem';

type Named = Pick<File, 'name' | 'size'>;

/** What is wrong with an upload. Sizes are in bytes. */
export type UploadFault =
  | { kind: 'wrongFormat'; name: string; endings: readonly string[] }
  /** The server names no limit behind another server that has a lower one. */
  | { kind: 'tooLarge'; name: string; size: number; limit: number | null }
  /** `free`: what the storage of the account leaves for this file. */
  | { kind: 'noRoom'; name: string; size: number; free: number }
  | { kind: 'tooSmall'; name: string }
  /** Several files where one is possible; null if their number is not known. */
  | { kind: 'tooMany'; count: number | null }
  /** The server refused it for another reason, which its error says. */
  | { kind: 'failed'; name: string };

/** What a file may have, in bytes. An undefined limit is not known: a server of the previous release names none. */
export interface Bounds {
  limit: number | undefined;
  /** What the storage of the account leaves for the file; null if that is not known. */
  free: number | null;
}

/** Finds whether a file is too large, before it is sent. The server checks everything again. */
export function sizeFault({ name, size }: Named, { limit, free }: Bounds): UploadFault | null {
  if (limit !== undefined && size > limit) return { kind: 'tooLarge', name, size, limit };
  return free !== null && size > free ? { kind: 'noRoom', name, size, free } : null;
}

/** Limits of one file, and of a request, which has more than the file. */
const TOO_LARGE = ['mlp.core.object_too_large', 'mlp.core.dataset_too_large', 'mlp.gate.request_too_large'];
const NO_ROOM = 'mlp.core.storage_limit_exceeded';
const WRONG_FORMAT = ['mlp.core.dataset_content_invalid', 'mlp.core.unsupported_content_type'];
const PAYLOAD_TOO_LARGE = 413;

const numberIn = (text: string | undefined): number | null => {
  const number = Number(text);
  return text && Number.isFinite(number) ? number : null;
};

/** What a refusal of the server says of the file that was sent. */
export function refusedFault({ code, status, args, violations }: Problem, { name, size }: Named): UploadFault {
  const limit = numberIn(args.limit);
  const used = numberIn(args.used);
  if (code === NO_ROOM && limit !== null && used !== null)
    return { kind: 'noRoom', name, size, free: Math.max(0, limit - used) };
  if (TOO_LARGE.includes(code)) return { kind: 'tooLarge', name, size, limit };
  if (WRONG_FORMAT.includes(code)) return { kind: 'wrongFormat', name, endings: [] };
  if (code === VALIDATION_FAILED && violations?.some(({ path, rule }) => path === 'file' && rule === 'too_many'))
    return { kind: 'tooMany', count: null };
  // Of a server in front of the platform.
  if (status === PAYLOAD_TOO_LARGE && code !== NO_ROOM) return { kind: 'tooLarge', name, size, limit: null };
  return { kind: 'failed', name };
}
