import { Button, Checkbox, Group, Modal, Skeleton, Stack, Table, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { EventSettingData, NotificationSettingsData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useRefusal } from '@/components/feedback/useRefusal';

const WAYS = ['shown', 'mailed'] as const;

interface Props {
  account: string;
  onClose: () => void;
}

/** Which events the person sees in the console, and which are mailed to them. */
export default function NotificationChoices({ account, onClose }: Props) {
  const { t } = useTranslation('NotificationChoices');
  const { currentData, error, refetch } = coreApi.useCoreGetNotificationSettingsQuery(
    { account },
    { refetchOnMountOrArgChange: true },
  );
  const problem = asProblem(error);
  return (
    <Modal opened onClose={onClose} size="lg" title={t('title')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      {currentData && <Choice account={account} stored={currentData} onClose={onClose} />}
      {!currentData &&
        (problem ? <ProblemView problem={problem} again={() => void refetch()} /> : <Skeleton h={360} />)}
    </Modal>
  );
}

function Choice({ account, stored, onClose }: Props & { stored: NotificationSettingsData }) {
  const { t } = useTranslation('NotificationChoices');
  const [events, setEvents] = useState(stored.events);
  const [update, { isLoading }] = coreApi.useCoreUpdateNotificationSettingsMutation();
  const refusal = useRefusal();
  const save = async (sent: FormEvent) => {
    sent.preventDefault();
    refusal.clear();
    const { error } = await update({
      account,
      notificationSettingsRequest: { events: changed(events, stored.events) },
    });
    if (refusal.show(error)) return;
    toastDone(t('saved'));
    onClose();
  };
  const { address, mailRefusal } = stored;
  return (
    <Stack component="form" onSubmit={(sent: FormEvent) => void save(sent)}>
      <FormBanner refusal={refusal} />
      <Text size="sm">{t('intro')}</Text>
      <Events events={events} mailable={mailRefusal === null} onChange={setEvents} />
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {mailRefusal === null ? t('address', { address }) : t(`refusal.${mailRefusal}`, { address })}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('App:cancel')}
        </Button>
        <Button type="submit" loading={isLoading}>
          {t('save')}
        </Button>
      </Group>
    </Stack>
  );
}

/** An event that is mailed already can be taken off where no mail can be sent. */
function Events({
  events,
  mailable,
  onChange,
}: {
  events: EventSettingData[];
  mailable: boolean;
  onChange: (events: EventSettingData[]) => void;
}) {
  const { t } = useTranslation('NotificationChoices');
  return (
    <Table verticalSpacing="xs" aria-label={t('title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('event')}</Table.Th>
          {WAYS.map((way) => (
            <Table.Th key={way} scope="col">
              {t(way)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((one) => (
          <Table.Tr key={one.event}>
            <Table.Th scope="row" fw={400}>
              {t(`of.${one.event}`)}
            </Table.Th>
            {WAYS.map((way) => (
              <Table.Td key={way}>
                <Checkbox
                  aria-label={`${t(`of.${one.event}`)}: ${t(way)}`}
                  checked={one[way]}
                  disabled={way === 'mailed' && !mailable && !one.mailed}
                  onChange={({ currentTarget: { checked } }) =>
                    onChange(events.map((other) => (other.event === one.event ? { ...other, [way]: checked } : other)))
                  }
                />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function changed(events: EventSettingData[], stored: EventSettingData[]): EventSettingData[] {
  return events.filter(
    (one) =>
      !stored.some(({ event, shown, mailed }) => event === one.event && shown === one.shown && mailed === one.mailed),
  );
}
