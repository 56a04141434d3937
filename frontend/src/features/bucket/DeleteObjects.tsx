import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Deletion } from '@/components/Deletion';
import { toastDone } from '@/components/feedback/Toasts';
import { formatNumber } from '@/lib/format/number';

import classes from './bucket.module.css';
import { deletionsOf, objectsApi, type Row } from './objects';

const NAMED = 10;

interface Props {
  account: string;
  /** Empty: nothing is asked. */
  rows: readonly Row[];
  onClose: () => void;
}

/** Asks before objects and whole folders are deleted: how many, and which folders. */
export function DeleteObjects({ account, rows, onClose }: Props) {
  const { t, i18n } = useTranslation('Bucket');
  const [remove] = objectsApi.useDeleteObjectsMutation();
  // The text stays while the window closes.
  const [asked, setAsked] = useState(rows);
  if (rows.length > 0 && rows !== asked) setAsked(rows);
  const end = async () => {
    let deleted = 0;
    for (const part of deletionsOf(rows)) {
      let more = true;
      while (more) {
        const { data, error } = await remove({ account, what: part });
        if (error) return { error };
        deleted += data?.deleted ?? 0;
        more = data?.more ?? false;
      }
    }
    toastDone(t('deleted', { count: deleted, shown: formatNumber(deleted, i18n.language) }));
    return {};
  };
  return (
    <Deletion
      opened={rows.length > 0}
      title={t('deleteTitle', { what: useWhat(asked) })}
      account={account}
      remove={end}
      onClose={onClose}
    >
      <Folders rows={asked} />
      {t('deleteHint')}
    </Deletion>
  );
}

/** What is deleted: by its name if it is one thing, else how many. */
function useWhat(rows: readonly Row[]): string {
  const { t } = useTranslation('Bucket');
  const [first] = rows;
  if (rows.length === 1 && first) return first.kind === 'folder' ? `${first.name}/` : first.name;
  const folders = rows.filter(({ kind }) => kind === 'folder').length;
  const files = rows.length - folders;
  return [
    ...(files ? [t('files', { count: files })] : []),
    ...(folders ? [t('folderCount', { count: folders })] : []),
  ].join(t('and'));
}

function Folders({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation('Bucket');
  const prefixes = rows.flatMap((row) => (row.kind === 'folder' ? [row.prefix] : []));
  if (prefixes.length === 0) return null;
  return (
    <>
      <Text>{t('deleteFolders')}</Text>
      <ul className={classes.named}>
        {prefixes.slice(0, NAMED).map((prefix) => (
          <li key={prefix}>{prefix}</li>
        ))}
        {prefixes.length > NAMED && <li>{t('moreFolders', { count: prefixes.length - NAMED })}</li>}
      </ul>
    </>
  );
}
