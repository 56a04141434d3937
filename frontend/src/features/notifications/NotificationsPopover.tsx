import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconBell, IconSettings } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { NotificationData } from '@/api/generated/core.gen';
import { FeedPopover, FeedTabs } from '@/components/Feed';
import { IndicatorDot } from '@/components/IndicatorDot';
import { ProblemView } from '@/components/feedback/ProblemView';
import { When } from '@/components/format/When';
import { Link } from '@/components/Link';
import { entityLink } from '@/lib/format/entityLinks';
import { NOTIFICATION_POLL } from '@/lib/polls';

import { inTab, listed, notificationIndicator, type NotificationTab, type Tone } from './notifications';
import { useReadMarks } from './useReadMarks';
import { wordsOf } from './words';

const NotificationChoices = lazy(() => import('./NotificationChoices'));

const TABS: NotificationTab[] = ['all', 'info', 'errors'];
const TONES: Record<NotificationData['severity'], Tone> = { ERROR: 'danger', WARNING: 'warning', INFO: 'info' };

export function NotificationsPopover({ account }: { account: string }) {
  const { data, error, refetch } = coreApi.useCoreGetNotificationsQuery({ account }, NOTIFICATION_POLL);
  const all = listed(data ?? []);
  const problem = asProblem(error);
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      <FeedPopover
        texts="Notifications"
        icon={<IconBell size={20} stroke={1.5} aria-hidden />}
        width={400}
        tone={notificationIndicator(all)}
      >
        {(close) => (
          <>
            {problem && !data ? (
              <ProblemView problem={problem} again={() => void refetch()} />
            ) : (
              <Lists all={all} account={account} close={close} />
            )}
            <SettingsButton
              onClick={() => {
                close();
                setChoosing(true);
              }}
            />
          </>
        )}
      </FeedPopover>
      {choosing && (
        <Suspense>
          <NotificationChoices account={account} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  );
}

function SettingsButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation('Notifications');
  return (
    <Group justify="flex-end" px="xs" py={6} style={{ borderTop: '1px solid var(--mlp-border)' }}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconSettings size={16} stroke={1.5} aria-hidden />}
        onClick={onClick}
      >
        {t('settings')}
      </Button>
    </Group>
  );
}

function Lists({ all, account, close }: { all: NotificationData[]; account: string; close: () => void }) {
  const [tab, setTab] = useState<NotificationTab>('all');
  const shown = all.filter((one) => inTab(tab, one));
  const mark = useReadMarks(account);
  const unread = shown.filter(({ readAt }) => readAt === null).map(({ id }) => id);
  // Everything on the screen counts as read. The list is polled, so new items may appear while it is open.
  useEffect(() => mark(unread));
  return (
    <FeedTabs texts="Notifications" tabs={TABS} tab={tab} onTab={setTab}>
      {shown.map((one) => (
        <Row key={one.id} one={one} close={close} />
      ))}
    </FeedTabs>
  );
}

function Row({ one, close }: { one: NotificationData; close: () => void }) {
  const { t } = useTranslation('Notifications');
  const address = one.entity && entityLink(one.entity);
  // The user's own account is not named.
  const title = one.entityDisplayName === String(one.entity?.key.accountId) ? null : one.entityDisplayName;
  const { text, detail } = wordsOf(one, t);
  return (
    <Group
      wrap="nowrap"
      align="flex-start"
      gap="sm"
      px="md"
      py="sm"
      style={{ borderTop: '1px solid var(--mlp-border)' }}
    >
      <IndicatorDot
        tone={TONES[one.severity]}
        inline
        faint={one.readAt !== null}
        label={t(`tone.${TONES[one.severity]}`)}
      />
      <Stack gap={2} miw={0} flex={1}>
        {title && (
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {address ? (
              <Anchor component={Link} to={address} onClick={close} inherit>
                {title}
              </Anchor>
            ) : (
              title
            )}
          </Text>
        )}
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        {detail && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {detail}
          </Text>
        )}
        {one.grafanaLicenseDashboardUrl && (
          <Anchor size="sm" href={one.grafanaLicenseDashboardUrl} rel="noreferrer" target="_blank">
            {t('dashboard')}
          </Anchor>
        )}
        <Text size="xs" c="dimmed">
          <When at={one.createdAt} />
        </Text>
      </Stack>
    </Group>
  );
}
