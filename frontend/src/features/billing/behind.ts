import type { StatementItem } from '@/api/generated/billing.gen';

export const ALL = 'ALL';
const NO_KEY = 0;

/** What a number of a statement consists of: filters of calls, of rents, or of both. */
export interface Behind {
  calls: { modelId?: number; payerAccountId?: number; keyId?: number } | null;
  rents: { sourceType?: string; sourceName?: string; ownerId?: number; payerAccountId?: number } | null;
}

/** An item as a parameter of the address; null for the rest, which has no filter of its own. */
export function behindOf({
  kind,
  id,
  accountId,
  name,
}: Pick<StatementItem, 'kind' | 'id' | 'accountId' | 'name'>): string | null {
  switch (kind) {
    case 'REST':
      return null;
    case 'HOSTING':
      return kind;
    case 'MODEL':
    case 'ACCOUNT':
    case 'KEY':
      return `${kind}.${id ?? NO_KEY}`;
    case 'SERVER':
    case 'QUOTA':
    case 'RESOURCE_GROUP':
      return `${kind}.${accountId ?? ''}.${name}`;
  }
}

/** The filters that the parameter means; null if it is none of ours. */
export function readBehind(text: string | null): Behind | null {
  const [, kind = '', number = '', name = ''] = /^([A-Z_]+)(?:\.(\d+))?(?:\.(.*))?$/s.exec(text ?? '') ?? [];
  const id = number === '' ? Number.NaN : Number(number);
  if (kind === ALL) return { calls: {}, rents: {} };
  if (kind === 'HOSTING') return { calls: null, rents: {} };
  if (!Number.isSafeInteger(id)) return null;
  switch (kind) {
    case 'MODEL':
      return { calls: { modelId: id }, rents: null };
    case 'KEY':
      return { calls: { keyId: id }, rents: null };
    case 'ACCOUNT':
      return { calls: { payerAccountId: id }, rents: { payerAccountId: id } };
    case 'SERVER':
    case 'QUOTA':
    case 'RESOURCE_GROUP':
      return { calls: null, rents: { sourceType: kind, sourceName: name, ownerId: id } };
    default:
      return null;
  }
}
