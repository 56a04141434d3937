import { Input, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/code/Json';
import { useTaskNames } from '@/lib/useTaskNames';

import { type FieldSpec, labelOf } from './fields';
import { MEDIUM, NARROW, ROW, SWITCH_ROW } from './rows';
import classes from './rows.module.css';

interface Props {
  field: FieldSpec;
  /** Section of the locales with the texts of the fields. */
  texts: string;
  value: unknown;
  error?: ReactNode;
  disabled?: boolean;
  /** Currency of the form, for prices. */
  currency?: string;
  onChange: (value: unknown) => void;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown) => (Array.isArray(value) ? (value as string[]) : []);

/** One setting: its label and explanation, and its control. */
export function FieldControl({ field, texts, value, error, disabled, currency, onChange }: Props) {
  const { t, i18n } = useTranslation(texts);
  const names = useTaskNames();
  const hintKey = `hint.${field.path}`;
  const label = t(labelOf(field));
  const hint = i18n.exists(`${texts}:${hintKey}`) ? t(hintKey) : undefined;
  const common = { label, description: hint, error, disabled, classNames: field.narrow ? NARROW : ROW };
  switch (field.kind) {
    case 'text':
      return <TextInput {...common} type={field.inputType} maxLength={field.maxLength} value={textOf(value)} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
    case 'area':
      return <Textarea {...common} autosize minRows={2} maxRows={10} value={textOf(value)} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
    case 'number':
      return <NumberField field={field} common={common} value={value as number | string} currency={currency} onChange={onChange} />;
    case 'switch':
      return <Switch {...common} aria-label={label} classNames={SWITCH_ROW} checked={value === true} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />;
    case 'select': {
      const named = (option: string) => (field.path === 'taskType' ? names(option) : t(`option.${field.path}.${option}`));
      return <Select {...common} data={(field.options ?? []).map((option) => ({ value: option, label: named(option) }))} allowDeselect={false} value={textOf(value) || null} onChange={onChange} />;
    }
    case 'tags':
    case 'numbers':
      return <TagsInput {...common} value={textsOf(value)} onChange={onChange} clearable={false} />;
    case 'custom': {
      const Control = field.custom?.Control;
      return Control && <Control value={value} error={error} readOnly={disabled === true} onChange={onChange} />;
    }
    case 'jsonText':
    case 'jsonValue':
      return (
        <Input.Wrapper {...common}>
          <div className={ROW.wrapper}>
            <Json value={textOf(value)} label={label} {...(disabled ? {} : { onChange })} />
          </div>
        </Input.Wrapper>
      );
  }
}

interface NumberProps {
  field: FieldSpec;
  common: { label: string; description: string | undefined; error: ReactNode; disabled: boolean | undefined };
  value: number | string;
  currency: string | undefined;
  onChange: (value: unknown) => void;
}

/** As narrow as numbers are, with the unit inside. Screen readers get the unit's full name with the label. */
function NumberField({ field: { min, max, decimals, optional, unit, placeholder }, common, value, currency, onChange }: NumberProps) {
  const { t } = useTranslation('Unit');
  const key = unit === 'currency' ? (currency ?? 'RUBLE') : unit;
  const short = key && t(`short.${key}`);
  return (
    <NumberInput
      {...common}
      aria-label={key ? `${common.label}, ${t(`full.${key}`)}` : undefined}
      classNames={placeholder ? MEDIUM : NARROW}
      min={min}
      max={max}
      allowDecimal={decimals !== undefined}
      decimalScale={decimals}
      placeholder={placeholder ?? (optional ? t('unset') : undefined)}
      hideControls={short !== undefined}
      rightSection={short && <span className={classes.unit} aria-hidden>{short}</span>}
      rightSectionWidth={short && 20 + short.length * 8}
      rightSectionPointerEvents={short ? 'none' : undefined}
      value={value}
      onChange={onChange}
    />
  );
}
