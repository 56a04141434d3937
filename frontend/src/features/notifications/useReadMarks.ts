import { useEffect, useMemo } from 'react';

import { coreApi } from '@/api';
import { BatchQueue } from '@/lib/predict/batchQueue';

const THROTTLE_MS = 3000;

/** Marks shown items as read, each once, in batches at most every three seconds. */
export class ReadMarks {
  private readonly marked = new Set<string>();
  private readonly queue: BatchQueue<string>;

  /** `send` returns whether the marks were stored; others are sent again when the items are shown again. */
  constructor(send: (ids: string[]) => Promise<boolean>) {
    this.queue = new BatchQueue<string>((ids) => {
      void send(ids).then((kept) => {
        if (!kept) for (const id of ids) this.marked.delete(id);
      });
    }, THROTTLE_MS);
  }

  mark(ids: readonly string[]): void {
    const fresh = ids.filter((id) => !this.marked.has(id));
    for (const id of fresh) this.marked.add(id);
    if (fresh.length) this.queue.push(...fresh);
  }

  flush(): void {
    this.queue.flush();
  }
}

export function useReadMarks(account: string): (ids: readonly string[]) => void {
  const [send] = coreApi.useCoreMarkNotificationsReadMutation();
  const marks = useMemo(
    () => new ReadMarks(async (ids) => !(await send({ account, notificationReadRequest: { ids } })).error),
    [account, send],
  );
  useEffect(() => () => marks.flush(), [marks]);
  return (ids) => marks.mark(ids);
}
