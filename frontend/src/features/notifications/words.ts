import type { TFunction } from 'i18next';

import type { NotificationData, Severity } from '@/api/generated/core.gen';
import { formatAmount, formatPrice } from '@/lib/format/money';
import { formatMoment } from '@/lib/format/time';

export interface Words {
  text: string;
  /** Additional text from the server, such as the reason of a failure; null if there is none. */
  detail: string | null;
}

const OUTCOMES: Record<Severity, string> = { INFO: 'done', WARNING: 'stopped', ERROR: 'failed' };

/** The server's texts are English. Known kinds are translated, all others are shown unchanged. */
export function wordsOf(one: NotificationData, t: TFunction): Words {
  if (one.textKey) return plain(t(`Notifications:said.${one.textKey}`, valuesOf(one, t)).trim());
  switch (one.type) {
    case 'PIPELINE_OPERATION':
      return ofOperation(one, t);
    case 'SERVER_AVAILABLE':
    case 'SERVER_UNAVAILABLE':
      return plain(t(`Notifications:said.${one.type}`));
    case 'TOKEN_EXPIRATION_WARNING':
      return one.expirationDate
        ? plain(t('Notifications:said.keyExpires', { date: formatMoment(one.expirationDate) }))
        : plain(one.textMessage);
    case 'LICENSE_EXPIRES_SOON':
      return plain(t('Licence:ends'));
    case 'LICENSE_NOT_VALID':
      return plain(t('Licence:invalid'));
    case 'LICENSE_LIMITS_EXCEEDED':
      return plain(t(one.severity === 'ERROR' ? 'Licence:hard' : 'Licence:soft'));
    default:
      return plain(one.textMessage);
  }
}

function valuesOf({ textArgs }: NotificationData, t: TFunction): Record<string, string> {
  const { amount, currency, reported, ...values } = textArgs ?? {};
  if (!amount) return values;
  if (reported)
    return {
      ...values,
      amount: formatPrice(Number(amount)),
      reported: formatPrice(Number(reported)),
      currency: t(`Money:names.${currency ?? 'RUBLE'}`),
    };
  return { ...values, amount: formatAmount(Number(amount)), currency: currency ? t(`Money:names.${currency}`) : '' };
}

function ofOperation({ operationType, severity, textMessage }: NotificationData, t: TFunction): Words {
  if (!operationType) return plain(textMessage);
  if (operationType === 'BLOCK' || operationType === 'UNBLOCK' || operationType === 'CREATE')
    return plain(t(`Notifications:said.${operationType}`));
  const text = t(`Notifications:outcome.${OUTCOMES[severity]}`, { operation: t(`Tasks:operation.${operationType}`) });
  return { text, detail: severity === 'ERROR' ? textMessage : null };
}

function plain(text: string): Words {
  return { text, detail: null };
}
