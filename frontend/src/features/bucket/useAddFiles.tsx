import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { S3StorageData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { sizeFault, type UploadFault } from '@/lib/uploads/faults';

import classes from './bucket.module.css';
import type { NamedFile } from './droppedFiles';
import { Refused } from './Refused';
import { boundsOf, type Shown } from './room';
import type { NewUpload, UploadQueue } from './uploadQueue';

const NAMED = 10;

interface Adding {
  add: (files: readonly NamedFile[]) => void;
  question: ReactNode;
  /** What was refused. */
  notice: ReactNode;
}

/**
 * Uploads files into the open folder. Refuses those that are too large before they are sent, and asks first if that replaces
 * some of the listed objects. `storage`: undefined while it is not known; then the server decides.
 */
export function useAddFiles(queue: UploadQueue, shown: Shown, storage: S3StorageData | undefined): Adding {
  const { folder, rows } = shown;
  const { t } = useTranslation('Bucket');
  const [asked, setAsked] = useState<readonly NewUpload[] | null>(null);
  const [faults, setFaults] = useState<readonly UploadFault[]>([]);
  const listed = new Set(rows.flatMap((row) => (row.kind === 'object' ? [row.key] : [])));
  const replaced = (asked ?? []).filter(({ key }) => listed.has(key));
  const add = (files: readonly NamedFile[]) => {
    const found = files.map(({ path, file }) => {
      const key = folder + path;
      return { key, file, fault: sizeFault({ name: path, size: file.size }, boundsOf(key, shown, storage)) };
    });
    setFaults(found.flatMap(({ fault }) => fault ?? []));
    const uploads = found.filter(({ fault }) => fault === null).map(({ key, file }) => ({ key, file }));
    if (uploads.some(({ key }) => listed.has(key))) setAsked(uploads);
    else queue.add(uploads);
  };
  const confirm = () => {
    queue.add(asked ?? []);
    setAsked(null);
  };
  const question = (
    <Confirm
      opened={asked !== null}
      title={t('replaceFiles')}
      action={t('replace')}
      onClose={() => setAsked(null)}
      onConfirm={confirm}
    >
      {t('replaceFilesHint')}
      <ul className={classes.named}>
        {replaced.slice(0, NAMED).map(({ key }) => (
          <li key={key}>{key}</li>
        ))}
        {replaced.length > NAMED && <li>{t('moreFiles', { count: replaced.length - NAMED })}</li>}
      </ul>
    </Confirm>
  );
  return { add, question, notice: <Refused faults={faults} onClose={() => setFaults([])} /> };
}
