import type { Problem } from '@/api';
import type { Sent } from '@/lib/sendFile';

/** The platform limits how many files an account uploads at once; the rest of a browser's connections serve the page. */
export const AT_ONCE = 3;
const PERCENT = 100;

export interface NewUpload {
  key: string;
  file: File;
}

export interface Upload extends NewUpload {
  id: number;
  state: 'waiting' | 'sending' | 'stored' | 'failed';
  /** How much was sent, from 0 to 100. At 100 the platform stores it. */
  percent: number;
  problem: Problem | null;
}

type Send = (upload: NewUpload, onProgress: (share: number) => void, signal: AbortSignal) => Promise<Sent<unknown>>;

/** Sends files, a few at a time, in the order in which they came. */
export class UploadQueue {
  private uploads: readonly Upload[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly sending = new Map<number, AbortController>();
  private lastId = 0;

  /** `onStored` is called after each stored file; `last`: no other waits or is sent. */
  constructor(
    private readonly send: Send,
    private readonly onStored: (last: boolean) => void,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The same list until something changes, as React requires. */
  readonly all = (): readonly Upload[] => this.uploads;

  add(files: readonly NewUpload[]): void {
    const added = files.map(({ key, file }): Upload => ({
      id: (this.lastId += 1),
      key,
      file,
      state: 'waiting',
      percent: 0,
      problem: null,
    }));
    this.replace([...this.uploads, ...added]);
    this.proceed();
  }

  retry(id: number): void {
    this.change(id, { state: 'waiting', percent: 0, problem: null });
    this.proceed();
  }

  /** Takes it out of the queue, and stops sending it. */
  cancel(id: number): void {
    this.replace(this.uploads.filter((upload) => upload.id !== id));
    this.sending.get(id)?.abort();
  }

  cancelAll(): void {
    this.replace([]);
    for (const controller of this.sending.values()) controller.abort();
  }

  private proceed(): void {
    for (const upload of this.uploads) {
      if (this.sending.size >= AT_ONCE) return;
      if (upload.state === 'waiting') void this.run(upload);
    }
  }

  private async run(upload: Upload): Promise<void> {
    const { id } = upload;
    const controller = new AbortController();
    this.sending.set(id, controller);
    this.change(id, { state: 'sending' });
    const { data, error } = await this.send(upload, (share) => this.progress(id, share), controller.signal);
    this.sending.delete(id);
    if (error) this.change(id, { state: 'failed', problem: error });
    else if (data !== undefined) this.stored(id);
    this.proceed();
  }

  private stored(id: number): void {
    this.change(id, { state: 'stored', percent: PERCENT });
    this.onStored(!this.uploads.some(({ state }) => state === 'waiting' || state === 'sending'));
  }

  /** Browsers report far more often than a reader sees a difference. */
  private progress(id: number, share: number): void {
    const percent = Math.floor(share * PERCENT);
    if (this.uploads.find((upload) => upload.id === id)?.percent !== percent) this.change(id, { percent });
  }

  private change(id: number, values: Partial<Upload>): void {
    this.replace(this.uploads.map((upload) => (upload.id === id ? { ...upload, ...values } : upload)));
  }

  private replace(uploads: readonly Upload[]): void {
    this.uploads = uploads;
    for (const listener of this.listeners) listener();
  }
}
