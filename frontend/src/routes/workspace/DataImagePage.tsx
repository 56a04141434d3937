import { Badge, Button, Code, Group, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { DataImageInfoData } from '@/api/generated/core.gen';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { DataImageAbout } from '@/features/dataImages/DataImageAbout';
import { DataImageEvents } from '@/features/dataImages/DataImageEvents';
import { DataImageUsage } from '@/features/dataImages/DataImageUsage';
import { DeleteDataImage } from '@/features/dataImages/DeleteDataImage';
import { LIST, pathOf } from '@/features/dataImages/paths';
import { useMember } from '@/lib/session';
import { ObjectProblem } from '@/routes/ObjectProblem';

/** Only the account that owns a data image reads its history. */
const TABS_OF_OTHERS = ['about', 'usage'] as const;
const TABS = [...TABS_OF_OTHERS, 'events'] as const;

/** One data image, of one's own or shared by another account. */
export function DataImagePage() {
  const { t } = useTranslation('DataImages');
  const { account = '', image: id = '' } = useParams();
  const { data, error, refetch } = coreApi.useCoreGetDataImageQuery({ account, imageId: Number(id) });
  const crumbs = [{ text: t('title'), to: LIST }];
  const problem = asProblem(error);
  if (problem && !data)
    return <ObjectProblem problem={problem} name={id} crumbs={crumbs} again={() => void refetch()} />;
  if (!data) {
    return (
      <Page title={id} crumbs={crumbs}>
        <Skeleton h={320} />
      </Page>
    );
  }
  return <Loaded image={data} />;
}

function Loaded({ image }: { image: DataImageInfoData }) {
  const { t } = useTranslation('DataImages');
  const { account, accountId } = useMember();
  const { tab: wanted } = useParams();
  const own = image.id.accountId === accountId;
  const tabs = own ? TABS : TABS_OF_OTHERS;
  const tab = tabs.find((known) => known === wanted) ?? 'about';
  return (
    <Page
      title={image.name}
      crumbs={[
        { text: t('title'), to: LIST },
        { text: image.name, to: pathOf(image) },
      ]}
      tab={t(`tab.${tab}`)}
      subtitle={
        <Group gap={6}>
          <Code style={{ overflowWrap: 'anywhere' }}>{image.sourcePath}</Code>
          <Badge variant="default">{t(`mode.${image.accessMode}`)}</Badge>
        </Group>
      }
      action={own && <Delete account={account} image={image} />}
    >
      <RoutedTabs
        label={image.name}
        current={tab}
        tabs={tabs.map((name) => ({ name, label: t(`tab.${name}`), to: pathOf(image, name === 'about' ? '' : name) }))}
      >
        {tab === 'about' && <DataImageAbout account={account} image={image} own={own} />}
        {tab === 'usage' && <DataImageUsage account={account} imageId={image.id.imageId} own={own} />}
        {tab === 'events' && <DataImageEvents account={account} imageId={image.id.imageId} />}
      </RoutedTabs>
    </Page>
  );
}

function Delete({ account, image }: { account: string; image: DataImageInfoData }) {
  const { t } = useTranslation('DataImages');
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsked(true)}>
        {t('App:delete')}
      </Button>
      <DeleteDataImage
        account={account}
        image={image}
        opened={asked}
        onClose={() => setAsked(false)}
        onDeleted={() => void navigate(LIST, { replace: true })}
      />
    </>
  );
}
