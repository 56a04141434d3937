import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import { RowAction } from '@/components/list/RowAction';
import { formatAmount, formatPrice } from '@/lib/format/money';
import { formatExactMoment } from '@/lib/format/time';

import classes from './keyParts.module.css';
import { expiryOf, serviceKey } from './keyValues';
import { allowsAny, siteOf } from './origins';
import { useServiceNames } from './useServices';

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
  ];
  const llms = key.allowedLlms ?? [];
  const origins = key.allowedOrigins ?? []; // missing while the previous release answers
  const anySite = allowsAny(origins);
  if (lines.length + llms.length + origins.length === 0) return '—';
  return (
    <Stack gap={0}>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
      <Some names={llms} text={(list, count) => t(count ? 'moreLlms' : 'llmNames', { list, count })} />
      {anySite ? (
        <Badge color="yellow" variant="light">
          {t('anySite')}
        </Badge>
      ) : (
        <Some names={origins.map(siteOf)} text={(list, count) => t(count ? 'moreSites' : 'sites', { list, count })} />
      )}
    </Stack>
  );
}

/** The services that the key is limited to, in one line. */
export function Services({ data: key, account }: { data: AccessTokenData; account: string }) {
  const { t } = useTranslation('Keys');
  const allowed = key.allowedServices ?? [];
  const { labels, isLoading } = useServiceNames(account, allowed.length === 0);
  if (!key.allowedServices) return t('allServices');
  if (isLoading) return <Skeleton h={14} w={120} />;
  return <Some names={allowed.map(serviceKey).map((id) => labels.get(id) ?? id)} text={(list, count) => (count ? t('moreServices', { list, count }) : list)} />;
}

const MOST_NAMED = 2;

/** One line with the first names, however many there are; the others are in its title. Long names leave room for their number. */
function Some({ names, text }: { names: readonly string[]; text: (list: string, more: number) => string }) {
  if (names.length === 0) return null;
  const list = names.slice(0, MOST_NAMED).join(', ');
  const said = text(list, Math.max(names.length - MOST_NAMED, 0));
  const end = said.indexOf(list) + list.length;
  return (
    <Text size="sm" className={classes.some ?? ''} title={names.join(', ')}>
      <span>{said.slice(0, end)}</span>
      <span>{said.slice(end)}</span>
    </Text>
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
