import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconFolderPlus, IconLock, IconPlug } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { Page } from '@/components/Page';
import { BucketStorage } from '@/features/bucket/BucketStorage';
import { ConnectDrawer } from '@/features/bucket/ConnectDrawer';
import { DropZone } from '@/features/bucket/DropZone';
import { FolderPath } from '@/features/bucket/FolderPath';
import { LeaveUploads } from '@/features/bucket/LeaveUploads';
import { NewFolder } from '@/features/bucket/NewFolder';
import { ObjectList } from '@/features/bucket/ObjectList';
import { objectsApi, rowsOf } from '@/features/bucket/objects';
import { UploadButton } from '@/features/bucket/UploadButton';
import { UploadList } from '@/features/bucket/UploadList';
import { useAddFiles } from '@/features/bucket/useAddFiles';
import { usePlace } from '@/features/bucket/usePlace';
import { useUploads } from '@/features/bucket/useUploads';
import { mayDevelop } from '@/lib/rights';
import { useMember, useSession } from '@/lib/session';

/** The account's bucket, as folders and files. */
export function BucketPage() {
  const { account } = useMember();
  return <Bucket key={account} account={account} />;
}

function Bucket({ account }: { account: string }) {
  const { t } = useTranslation('Bucket');
  const writable = mayDevelop(useSession());
  const place = usePlace();
  const query = objectsApi.useObjectsInfiniteQuery({ account, prefix: place.prefix });
  const pages = query.data?.pages;
  const rows = useMemo(() => pages && rowsOf(pages), [pages]);
  const bucket = pages?.[0]?.bucketName ?? null;
  const uploads = useUploads(account);
  const storage = coreApi.useCoreGetS3StorageQuery({ account });
  const complete = query.currentData !== undefined && !query.hasNextPage && !place.state.narrowed;
  const shown = { folder: place.folder, rows: rows ?? [], complete };
  const { add, question, notice } = useAddFiles(uploads.queue, shown, storage.data);
  const [opened, setOpened] = useState<'connect' | 'folder' | null>(null);
  const close = () => setOpened(null);
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      action={writable && <Actions onFiles={add} onConnect={() => setOpened('connect')} />}
    >
      {!writable && (
        <Alert variant="light" color="gray" icon={<IconLock size={18} aria-hidden />} p="sm">
          {t('readOnly')}
        </Alert>
      )}
      <BucketStorage account={account} />
      {notice}
      <UploadList uploads={uploads} folder={place.folder} />
      <DropZone onFiles={writable ? add : null}>
        <Stack gap="md">
          <Group justify="space-between" gap="xs">
            <FolderPath bucket={bucket} folder={place.folder} />
            {writable && (
              <Button
                size="compact-sm"
                variant="subtle"
                leftSection={<IconFolderPlus size={16} aria-hidden />}
                onClick={() => setOpened('folder')}
              >
                {t('newFolder')}
              </Button>
            )}
          </Group>
          <ObjectList
            account={account}
            query={query}
            rows={rows}
            place={place}
            writable={writable}
            empty={{
              title: t(place.folder ? 'emptyFolder' : 'none'),
              hint: t(writable ? 'noneHint' : 'noneToRead'),
              action: writable && <UploadButton variant="light" label={t('first')} onFiles={add} />,
            }}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : null}
            loadingMore={query.isFetchingNextPage}
          />
        </Stack>
      </DropZone>
      {question}
      <LeaveUploads active={uploads.all.some(({ state }) => state === 'waiting' || state === 'sending')} />
      <NewFolder
        opened={opened === 'folder'}
        onClose={close}
        onPath={(path) => (close(), place.open(place.folder + path))}
      />
      <ConnectDrawer account={account} folder={place.folder} opened={opened === 'connect'} onClose={close} />
    </Page>
  );
}

function Actions({
  onFiles,
  onConnect,
}: {
  onFiles: Parameters<typeof UploadButton>[0]['onFiles'];
  onConnect: () => void;
}) {
  const { t } = useTranslation('Bucket');
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconPlug size={16} aria-hidden />} onClick={onConnect}>
        {t('connect')}
      </Button>
      <UploadButton label={t('upload')} onFiles={onFiles} />
    </Group>
  );
}
