import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData, Currency } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import { RowAction } from '@/components/list/RowAction';
import { formatBytes } from '@/lib/format/bytes';
import { formatAmount, formatPrice } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { formatExactMoment } from '@/lib/format/time';
import { useSettings } from '@/lib/session';

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

interface Line {
  text: string;
  /** All of it, where the text names one of several. */
  title?: string | undefined;
  warns?: boolean;
}

const MOST_LINES = 3;

/** A short summary of the key's limits; what does not fit is in a title. */
export function Limits({ data: key }: { data: AccessTokenData }) {
  const { t } = useTranslation('Keys');
  const lines = useLimitLines(key);
  if (lines.length === 0) return '—';
  const shown = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES - 1) : lines;
  const rest = lines.slice(shown.length);
  return (
    <Stack gap={0}>
      {shown.map(({ text, title, warns }) =>
        warns ? (
          <Badge key={text} color="yellow" variant="light">
            {text}
          </Badge>
        ) : (
          <Text key={text} size="sm" title={title}>
            {text}
          </Text>
        ),
      )}
      {rest.length > 0 && (
        <Text size="sm" c="dimmed" title={rest.map(({ text, title }) => title ?? text).join('\n')}>
          {t('moreLimits', { count: rest.length })}
        </Text>
      )}
    </Stack>
  );
}

function useLimitLines(key: AccessTokenData): Line[] {
  const { t } = useTranslation('Keys');
  const { data: settings } = useSettings();
  const money = (amount: number | string, currency: Currency) =>
    `${formatAmount(Number(amount))}\u00a0${t(`Money:names.${currency}`)}`;
  const origins = key.allowedOrigins ?? []; // missing while the previous release answers
  const texts = [
    ...(key.requestLimit && key.requestLimitPeriod
      ? [
          t('callsEach', {
            count: key.requestLimit,
            shown: formatNumber(key.requestLimit),
            each: t(`each.${key.requestLimitPeriod}`),
          }),
        ]
      : []),
    ...(key.spendingLimits ?? []).map(
      ({ amount, currency, period }) => `${money(amount, currency)} ${t(`each.${period}`)}`,
    ),
    ...(key.expenseLimit === null
      ? []
      : [t('inAll', { amount: money(key.expenseLimit, settings?.currencyType ?? 'RUBLE') })]),
    ...((key.maxPricePerCall ?? null) === null
      ? []
      : [t('perCall', { amount: formatPrice(Number(key.maxPricePerCall)) })]),
    ...(key.maxRequestSize ? [t('perRequest', { size: sizeOf(key.maxRequestSize, key.maxRequestSizeUnit, t) })] : []),
  ];
  return [
    ...(allowsAny(origins) ? [{ text: t('anySite'), warns: true }] : []),
    ...texts.map((text) => ({ text })),
    ...namesIn(key.allowedLlms ?? [], (list) => t('llmNames', { list })),
    ...(allowsAny(origins) ? [] : namesIn(origins.map(siteOf), (list) => t('sites', { list }))),
  ];
}

/** As it was set: no digit of it is rounded. */
function sizeOf(size: number, unit: string | null, t: TFunction<'Keys'>): string {
  if (unit === 'CHARACTERS') return t('characters', { count: size, shown: formatNumber(size) });
  return size % KIBIBYTE === 0 ? formatBytes(size) : t('bytes', { count: size, shown: formatNumber(size) });
}

const KIBIBYTE = 1024;

/** The services that the key is limited to, in one line. */
export function Services({ data: key, account }: { data: AccessTokenData; account: string }) {
  const { t } = useTranslation('Keys');
  const allowed = key.allowedServices ?? [];
  const { labels, isLoading } = useServiceNames(account, allowed.length === 0);
  if (!key.allowedServices) return t('allServices');
  if (isLoading) return <Skeleton h={14} w={120} />;
  return namesIn(
    allowed.map(serviceKey).map((id) => labels.get(id) ?? id),
    (list) => list,
  ).map(({ text, title }) => (
    <Text key={text} size="sm" title={title}>
      {text}
    </Text>
  ));
}

/** One line with the first name and the number of the others; all are in its title. */
function namesIn(names: readonly string[], said: (list: string) => string): Line[] {
  const [first, ...others] = names;
  if (first === undefined) return [];
  return [{ text: said(others.length > 0 ? `${first}\u00a0+${others.length}` : first), title: said(names.join(', ')) }];
}

export function Expires({ expiresAt, now }: { expiresAt: string | null; now: number }) {
  const { t } = useTranslation('Keys');
  const expiry = expiryOf(expiresAt, now);
  if (expiresAt === null) return t('never');
  return (
    <Group gap={6}>
      {expiry === 'expired' ? (
        <Badge color="red" variant="light" title={formatExactMoment(expiresAt)}>
          {t('expired')}
        </Badge>
      ) : (
        <When at={expiresAt} />
      )}
      {expiry === 'soon' && (
        <Badge color="yellow" variant="light">
          {t('soon')}
        </Badge>
      )}
    </Group>
  );
}
