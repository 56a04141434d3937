import { Badge, Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { formatAmount } from '@/lib/money';
import { formatMoment, fromNow } from '@/lib/time';

import { expiryOf } from './keyValues';

interface Props {
  keys: AccessTokenData[];
  /** When the list was opened, in milliseconds. */
  now: number;
  onEdit: (key: AccessTokenData) => void;
  onRevoke: (key: AccessTokenData) => void;
}

export function KeyTable({ keys, now, onEdit, onRevoke }: Props) {
  const { t } = useTranslation('Keys');
  return (
    <Table.ScrollContainer minWidth={820}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('name')}</Table.Th>
            <Table.Th>{t('key')}</Table.Th>
            <Table.Th>{t('permissions')}</Table.Th>
            <Table.Th>{t('services')}</Table.Th>
            <Table.Th>{t('limits')}</Table.Th>
            <Table.Th>{t('expires')}</Table.Th>
            <Table.Th aria-label={t('actions')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Row key={key.token} data={key} now={now} onEdit={() => onEdit(key)} onRevoke={() => onRevoke(key)} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ data: key, now, onEdit, onRevoke }: { data: AccessTokenData; now: number; onEdit: () => void; onRevoke: () => void }) {
  const { t } = useTranslation('Keys');
  return (
    <Table.Tr>
      <Table.Td fw={500} maw={220} style={{ overflowWrap: 'anywhere' }}>
        {key.name}
      </Table.Td>
      <Table.Td>
        <Code>{key.token}</Code>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {key.permissions.map((permission) => (
            <Badge key={permission} variant="default" tt="none" fw={500}>
              {t(`permission.${permission}`)}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>{key.allowedServices ? key.allowedServices.length : t('allServices')}</Table.Td>
      <Table.Td>
        <Limits data={key} />
      </Table.Td>
      <Table.Td>
        <Expires expiresAt={key.expiresAt} now={now} />
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Button size="compact-sm" variant="subtle" onClick={onEdit} aria-label={t('editOf', { name: key.name })}>
            {t('change')}
          </Button>
          <Button size="compact-sm" variant="subtle" color="red" onClick={onRevoke}>
            {t('revoke')}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** What the key is limited to, in few words. */
function Limits({ data: key }: { data: AccessTokenData }) {
  const { t } = useTranslation('Keys');
  const lines = [
    ...(key.requestLimit && key.requestLimitPeriod ? [`${key.requestLimit} ${t(`each.${key.requestLimitPeriod}`)}`] : []),
    ...(key.maxRequestSize ? [`${key.maxRequestSize} ${t(`units.${key.maxRequestSizeUnit ?? 'BYTES'}`)}`] : []),
    ...(key.spendingLimits ?? []).map(({ amount, currency, period }) => `${formatAmount(Number(amount))} ${t(`currencies.${currency}`)} ${t(`each.${period}`)}`),
    ...(key.expenseLimit === null ? [] : [t('inAll', { amount: formatAmount(Number(key.expenseLimit)) })]),
    ...(key.allowedLlms ?? []),
  ];
  if (lines.length === 0) return '—';
  return (
    <Stack gap={0}>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

function Expires({ expiresAt, now }: { expiresAt: string | null; now: number }) {
  const { t, i18n } = useTranslation('Keys');
  const expiry = expiryOf(expiresAt, now);
  if (expiresAt === null) return t('never');
  return (
    <Group gap={6} title={formatMoment(expiresAt)}>
      {expiry === 'expired' ? t('expired') : fromNow(expiresAt, i18n.language)}
      {expiry === 'soon' && (
        <Badge color="yellow" variant="light" tt="none" fw={500}>
          {t('soon')}
        </Badge>
      )}
    </Group>
  );
}
