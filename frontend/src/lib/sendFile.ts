import { NO_ANSWER, type Problem, problemOf } from '@/api/problem';

export interface Sent<Data> {
  data?: Data;
  error?: Problem;
}

interface Sending {
  method: 'POST' | 'PUT';
  url: string;
  /** A form with a file, or the file alone. */
  body: FormData | Blob;
  /** Takes a share from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

const UNKNOWN_TYPE = 'application/octet-stream';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Uploads a file. Not with `fetch`, which does not tell how much was sent. Aborting yields neither data nor error. */
export function sendFile<Data>({ method, url, body, onProgress, signal }: Sending): Promise<Sent<Data>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      const answer = parsed(request.responseText);
      resolve(request.status === 200 ? { data: answer as Data } : { error: problemOf(request.status, answer) });
    });
    request.addEventListener('error', () =>
      resolve({ error: { status: 0, code: NO_ANSWER, message: '', args: {}, requestId: null } }),
    );
    signal.addEventListener('abort', () => {
      request.abort();
      resolve({});
    });
    request.open(method, url);
    // Of a form, the browser sets the type with its boundary.
    if (body instanceof Blob) request.setRequestHeader('Content-Type', body.type || UNKNOWN_TYPE);
    request.send(body);
  });
}
