import { Badge, Button, Group, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ImageInfoData } from '@/api/generated/core.gen';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { DeleteImage } from '@/features/images/DeleteImage';
import { ImageAbout } from '@/features/images/ImageAbout';
import { ImageAddress } from '@/features/images/ImageAddress';
import { ImageEvents } from '@/features/images/ImageEvents';
import { ImageUsage } from '@/features/images/ImageUsage';
import { LIST, pathOf } from '@/features/images/paths';
import { mayDevelop } from '@/lib/rights';
import { useMember, useSession } from '@/lib/session';
import { ObjectProblem } from '@/routes/ObjectProblem';

/** Only the account that owns a image reads its history. */
const TABS_OF_OTHERS = ['about', 'usage'] as const;
const TABS = [...TABS_OF_OTHERS, 'events'] as const;

/** One image, of one's own or shared by another account. */
export function ImagePage() {
  const { t } = useTranslation('Images');
  const { account = '', image: id = '' } = useParams();
  const { data, error, refetch } = coreApi.useCoreGetImageQuery({ account, imageId: Number(id) });
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

function Loaded({ image }: { image: ImageInfoData }) {
  const { t } = useTranslation('Images');
  const { account, accountId } = useMember();
  const restarts = mayDevelop(useSession());
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
          <ImageAddress image={image.image} />
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
        {tab === 'about' && <ImageAbout account={account} image={image} own={own} />}
        {tab === 'usage' && <ImageUsage account={account} image={image} own={own} restarts={restarts} />}
        {tab === 'events' && <ImageEvents account={account} imageId={image.id.imageId} />}
      </RoutedTabs>
    </Page>
  );
}

function Delete({ account, image }: { account: string; image: ImageInfoData }) {
  const { t } = useTranslation('Images');
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsked(true)}>
        {t('App:delete')}
      </Button>
      <DeleteImage
        account={account}
        image={image}
        opened={asked}
        onClose={() => setAsked(false)}
        onDeleted={() => void navigate(LIST, { replace: true })}
      />
    </>
  );
}
