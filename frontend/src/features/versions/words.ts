import { useTranslation } from 'react-i18next';

import type { FieldChange } from '@/api/generated/core.gen';
import { formatNumber } from '@/lib/format/number';

/** Their fields stand in forms of their own. */
const FORMS = /^(?:publicSettings|billingSettings)\./;
/** What people name themselves: variables and labels. */
const NAMED = /^(?<list>env|secretEnv|resourceLimits\.serverLabels)\.(?<name>.+)$/;
/** Texts, because numbers of JSON may lose digits. */
const PRICES = new Set(['billingUnitPriceInCurrency', 'maxPriceInCurrency']);
const CHOICES = new Set(['hostingType', 'modelType', 'billingUnit', 'currency']);

/** What a field is called on the settings' forms; one that stands on none keeps its path. */
export function useFieldName(): (path: string) => string {
  const { t, i18n } = useTranslation('Versions');
  const label = (path: string) => {
    const ns = ['Settings', 'Versions'].find((section) => i18n.exists(`field.${path}`, { ns: section }));
    return ns === undefined ? path : t(`field.${path}`, { ns });
  };
  return (path) => {
    const { list, name } = NAMED.exec(path)?.groups ?? {};
    return list === undefined ? label(path.replace(FORMS, '')) : `${label(list)}, ${name}`;
  };
}

/** A value in the words of the settings' forms. */
export function useShownValue(): (path: string, value: FieldChange['before']) => string {
  const { t, i18n } = useTranslation('Versions');
  return (path, value) => {
    if (value === null || value === '') return t('unset');
    if (typeof value === 'boolean') return t(`switched.${value ? 'on' : 'off'}`);
    if (typeof value === 'number') return formatNumber(value, i18n.language);
    const field = path.replace(FORMS, '');
    if (PRICES.has(field)) return formatNumber(Number(value), i18n.language);
    return CHOICES.has(field) ? t(`Settings:option.${field}.${value}`, { defaultValue: value }) : value;
  };
}
