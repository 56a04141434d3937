import { useEffect, useState, useSyncExternalStore } from 'react';
import { useDispatch } from 'react-redux';

import { api } from '@/api';
import { sendFile } from '@/lib/sendFile';

import { contentPath } from './paths';
import { type Upload, UploadQueue } from './uploadQueue';

/** Many small files would else have the list read again for each of them. */
const READ_AGAIN_MS = 2000;

export interface Uploads {
  all: readonly Upload[];
  queue: UploadQueue;
}

/** The page's uploads into the account's bucket. Leaving the page cancels them. */
export function useUploads(account: string): Uploads {
  const dispatch = useDispatch();
  const [queue] = useState(() => {
    let readAt = -Infinity;
    return new UploadQueue(
      ({ key, file }, onProgress, signal) =>
        sendFile({ method: 'PUT', url: contentPath(account, key), body: file, onProgress, signal }),
      (last) => {
        if (!last && Date.now() - readAt < READ_AGAIN_MS) return;
        readAt = Date.now();
        dispatch(api.util.invalidateTags(['Bucket']));
      },
    );
  });
  useEffect(() => () => queue.cancelAll(), [queue]);
  return { queue, all: useSyncExternalStore(queue.subscribe, queue.all) };
}
