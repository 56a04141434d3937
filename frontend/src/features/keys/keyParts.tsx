import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import { RowAction } from '@/components/list/RowAction';
import { formatAmount, formatPrice } from '@/lib/format/money';
import { formatExactMoment } from '@/lib/format/time';

import { expiryOf } from './keyValues';

export interface KeyHandlers {
  onEdit: (key: AccessTokenData) => void;
  onRevoke: (key: AccessTokenData) => void;
}

export function Permissions({ data: key }: { data: AccessTokenData }) {
  const { t } = useTranslation('Keys');
  return (
    <Group gap={4}>
      {key.permissions.map((permission) => (
        <Badge key={permission} variant="default">
          {t(`permission.${permission}`)}
        </Badge>
      ))}
    </Group>
  );
}

export function Actions({ data: key, onEdit, onRevoke }: KeyHandlers & { data: AccessTokenData }) {
  const { t } = useTranslation('Keys');
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <RowAction label={t('editOf', { name: key.name })} Icon={IconPencil} onClick={() => onEdit(key)} />
      <RowAction label={t('revokeOf', { name: key.name })} Icon={IconTrash} danger onClick={() => onRevoke(key)} />
    </Group>
  );
}

/** A short summary of the key's limits. */
export function Limits({ data: key }: { data: AccessTokenData }) {
  const { t } = useTranslation('Keys');
  const lines = [
    ...(key.requestLimit && key.requestLimitPeriod ? [`${key.requestLimit} ${t(`each.${key.requestLimitPeriod}`)}`] : []),
    ...(key.maxRequestSize ? [`${key.maxRequestSize} ${t(`units.${key.maxRequestSizeUnit ?? 'BYTES'}`)}`] : []),
    ...(key.spendingLimits ?? []).map(({ amount, currency, period }) => `${formatAmount(Number(amount))} ${t(`Money:names.${currency}`)} ${t(`each.${period}`)}`),
    ...(key.expenseLimit === null ? [] : [t('inAll', { amount: formatAmount(Number(key.expenseLimit)) })]),
    ...(typeof key.maxPricePerCall === 'number' ? [t('perCall', { amount: formatPrice(key.maxPricePerCall) })] : []),
    ...(key.allowedLlms ?? []),
    ...(key.allowedOrigins ?? []), // missing while the previous release answers
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

export function Expires({ expiresAt, now }: { expiresAt: string | null; now: number }) {
  const { t } = useTranslation('Keys');
  const expiry = expiryOf(expiresAt, now);
  if (expiresAt === null) return t('never');
  return (
    <Group gap={6}>
      {expiry === 'expired' ? <span title={formatExactMoment(expiresAt)}>{t('expired')}</span> : <When at={expiresAt} />}
      {expiry === 'soon' && (
        <Badge color="yellow" variant="light">
          {t('soon')}
        </Badge>
      )}
    </Group>
  );
}
