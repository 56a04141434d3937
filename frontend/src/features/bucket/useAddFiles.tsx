import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Confirm } from '@/components/Confirm';

import classes from './bucket.module.css';
import type { NamedFile } from './droppedFiles';
import type { Row } from './objects';
import type { NewUpload, UploadQueue } from './uploadQueue';

const NAMED = 10;

/** Uploads files into a folder. Asks first if that replaces some of the listed objects. */
export function useAddFiles(
  queue: UploadQueue,
  folder: string,
  rows: readonly Row[],
): { add: (files: readonly NamedFile[]) => void; question: ReactNode } {
  const { t } = useTranslation('Bucket');
  const [asked, setAsked] = useState<readonly NewUpload[] | null>(null);
  const listed = new Set(rows.flatMap((row) => (row.kind === 'object' ? [row.key] : [])));
  const replaced = (asked ?? []).filter(({ key }) => listed.has(key));
  const add = (files: readonly NamedFile[]) => {
    const uploads = files.map(({ path, file }) => ({ key: folder + path, file }));
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
  return { add, question };
}
