import type { i18n } from 'i18next';

import { formatBytes } from '@/lib/format/bytes';
import { formatPrice } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
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
  return currency === 'RUBLE' || currency === 'TOKEN' ? `${amount}\u00a0${language.t(`Keys:currencies.${currency}`)}` : amount;
};

const moment: Format = (text, _, { language }) => (Number.isNaN(Date.parse(text)) ? text : formatMoment(text, language));

/** A size in the unit that the error names. */
const size: Format = (text, args, language) => {
  const unit = args.unit ?? 'bytes';
  if (unit === 'bytes') return bytes(text, args, language);
  return language.exists(`Problems:value.unit.${unit}_other`) ? language.t(`Problems:value.unit.${unit}`, { count: Number(text), amount: count(text, args, language) }) : `${count(text, args, language)} ${unit}`;
};

/** The text of a fixed set's member; others are shown as they came. */
function word(group: string, read: (text: string) => string = (text) => text): Format {
  return (text, args, language) => {
    const key = `Problems:value.${group}.${read(text)}`;
    return language.exists(key) ? language.t(key, { count: Number(args.count), names: args.names ?? '' }) : text;
  };
}

const withoutArticle = (text: string) => text.replace(/^(?:an?|the) /, '');
const amountOf = (text: string) => (text.endsWith('bytes') ? 'bytes' : text.endsWith('calls') ? 'calls' : text);

const BY_NAME: Readonly<Record<string, Format>> = {
  limit: count, running: count, most: count, min: count, max: count, count,
  used: bytes, size: bytes,
  seconds: duration, price, cap: price, moment,
  entity: word('entity', withoutArticle), period: word('period'), use: word('use'), why: word('why'), resource: word('resource', amountOf),
  expected: word('expected'),
  current: word('state'), wanted: word('state'), status: word('state', (text) => text.toUpperCase()),
};

/** Arguments whose name says something else in one error or rule. */
const BY_CODE: Readonly<Record<string, Readonly<Record<string, Format>>>> = {
  'mlp.core.address_too_long': { limit: bytes },
  'mlp.core.examples_too_large': { limit: bytes },
  'mlp.core.headers_too_large': { limit: size },
  'mlp.gate.answer_too_large_to_keep': { limit: bytes },
  'mlp.gate.key_spending_limit_exceeded': { limit: price },
  'mlp.gate.request_too_large': { limit: size },
  'mlp.gate.share_exceeded': { limit: (text, args, language) => (args.resource?.endsWith('bytes') ? bytes : count)(text, args, language) },
  'mlp.gate.storage_limit_exceeded': { limit: bytes },
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
