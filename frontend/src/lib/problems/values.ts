import type { i18n } from 'i18next';

import { formatBytes } from '@/lib/format/bytes';
import { formatPrice } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { amountOf, quantity } from '@/lib/format/resources';
import { formatDuration, formatMoment } from '@/lib/format/time';

type Args = Readonly<Record<string, string>>;
type Format = (text: string, args: Args, language: i18n) => string;

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

const asItIs: Format = (text) => text;
const count: Format = (text, _, { language }) => (isNumber(text) ? formatNumber(Number(text), language) : text);
const bytes: Format = (text, _, { language }) => (isNumber(text) ? formatBytes(Number(text), language) : text);
const duration: Format = (text, _, { language }) => (isNumber(text) ? formatDuration(Number(text), language) : text);

const price: Format = (text, { currency }, language) => {
  const amount = isNumber(text) ? formatPrice(Number(text), language.language) : text;
  return currency === 'RUBLE' || currency === 'TOKEN'
    ? `${amount}\u00a0${language.t(`Money:names.${currency}`)}`
    : amount;
};

const moment: Format = (text, _, { language }) =>
  Number.isNaN(Date.parse(text)) ? text : formatMoment(text, language);

/** A size in the unit that the error names. */
const size: Format = (text, args, language) => {
  const unit = args.unit ?? 'bytes';
  if (unit === 'bytes') return bytes(text, args, language);
  return language.exists(`Problems:value.unit.${unit}_other`)
    ? language.t(`Problems:value.unit.${unit}`, { count: Number(text), amount: count(text, args, language) })
    : `${count(text, args, language)} ${unit}`;
};

/** The text of a fixed set's member; others are shown as they came. */
function word(group: string, read: (text: string) => string = (text) => text): Format {
  return (text, args, language) => {
    const key = `Problems:value.${group}.${read(text)}`;
    return language.exists(key)
      ? language.t(key, { ...args, count: Number(args.count), names: args.names ?? '' })
      : text;
  };
}

/** A number with the word of what it counts. */
function counted(unit: string, text: string, language: i18n): string {
  const amount = amountOf(text);
  return amount === null
    ? text
    : language.t(`Problems:value.unit.${unit}`, { count: amount, amount: formatNumber(amount, language.language) });
}

/** An amount of what a limit of the account is about; the server writes it in the notation of Kubernetes. */
const limited: Format = (text, { name = '' }, language) => {
  if (name === 'cpuLimit') return counted('cores', text, language);
  if (name === 'memoryLimit' || name === 'ephemeralDiskLimit') return quantity(text, language.language);
  return name.endsWith('InstanceLimit') ? counted('instances', text, language) : text;
};

/** Faults of a content whose `max` is a size. */
const SIZES: readonly string[] = ['archive_too_large', 'too_many_texts'];

const content: Format = (text, args, language) => {
  const max = args.max && { max: (SIZES.includes(text) ? bytes : count)(args.max, args, language) };
  return word('content')(text, { ...args, ...max }, language);
};

const withoutArticle = (text: string) => text.replace(/^(?:an?|the) /, '');
const sharedOf = (text: string) => (text.endsWith('bytes') ? 'bytes' : text.endsWith('calls') ? 'calls' : text);

const BY_NAME: Readonly<Record<string, Format>> = {
  limit: count,
  running: count,
  most: count,
  min: count,
  max: count,
  count,
  used: count,
  size: bytes,
  seconds: duration,
  price,
  cap: price,
  moment,
  entity: word('entity', withoutArticle),
  period: word('period'),
  use: word('use'),
  why: word('why'),
  resource: word('resource', sharedOf),
  expected: word('expected'),
  current: word('state'),
  wanted: word('state'),
  status: word('state', (text) => text.toUpperCase()),
};

/** Arguments whose name says something else in one error or rule. */
const BY_CODE: Readonly<Record<string, Readonly<Record<string, Format>>>> = {
  'mlp.gate.access_denied': {
    permission: word('permission'),
    role: word('role'),
    feature: word('feature', (text) => text.replaceAll('.', '_')),
  },
  'mlp.core.address_too_long': { limit: bytes },
  'mlp.core.dataset_content_invalid': { problem: content, count: asItIs, expected: asItIs },
  'mlp.core.dataset_digest_differs': { expected: asItIs },
  'mlp.core.dataset_page_too_large': { limit: bytes },
  'mlp.core.dataset_too_large': { limit: bytes },
  'mlp.core.examples_too_large': { limit: bytes },
  'mlp.core.headers_too_large': { limit: size },
  'mlp.core.object_too_large': { limit: bytes },
  'mlp.core.resource_limit_exceeded': { name: word('limit'), allowed: limited, used: limited, needed: limited },
  'mlp.core.storage_limit_exceeded': { name: word('limit'), limit: bytes, used: bytes },
  'mlp.core.upload_part_too_small': { least: bytes },
  'mlp.gate.answer_too_large_to_keep': { limit: bytes },
  'mlp.gate.key_spending_limit_exceeded': { limit: price },
  'mlp.gate.request_too_large': { limit: size },
  'mlp.gate.share_exceeded': {
    limit: (text, args, language) => (args.resource?.endsWith('bytes') ? bytes : count)(text, args, language),
  },
  'mlp.gate.storage_limit_exceeded': { limit: bytes, used: bytes },
  too_many_bytes: { max: bytes },
  bounds: { min: asItIs, max: asItIs },
};

/** Arguments of an error as a reader of the language writes them. */
export function valuesOf(code: string, args: Args, language: i18n): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).map(([name, text]) => {
      const format = BY_CODE[code]?.[name] ?? (Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined);
      return [name, format ? format(text, args, language) : text];
    }),
  );
}
