import { Input, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/code/Json';
import { useTaskNames } from '@/lib/useTaskNames';

import type { FieldSpec } from './fields';

interface Props {
  field: FieldSpec;
  value: unknown;
  error?: string | undefined;
  onChange: (value: unknown) => void;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown) => (Array.isArray(value) ? (value as string[]) : []);

export function FieldControl({ field, value, error, onChange }: Props) {
  const { t, i18n } = useTranslation('Settings');
  const names = useTaskNames();
  const hintKey = `hint.${field.path}`;
  const common = { label: t(`field.${field.path}`), description: i18n.exists(`Settings:${hintKey}`) ? t(hintKey) : undefined, error };
  switch (field.kind) {
    case 'text':
      return <TextInput {...common} value={textOf(value)} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
    case 'area':
      return <Textarea {...common} autosize minRows={2} maxRows={10} value={textOf(value)} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
    case 'number':
      return (
        <NumberInput
          {...common}
          min={field.min}
          max={field.max}
          allowDecimal={field.decimals !== undefined}
          decimalScale={field.decimals}
          placeholder={field.optional ? t('unset') : undefined}
          value={value as number | string}
          onChange={onChange}
        />
      );
    case 'switch':
      return <Switch {...common} checked={value === true} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />;
    case 'select': {
      const label = (option: string) => (field.path === 'taskType' ? names(option) : t(`option.${field.path}.${option}`));
      return <Select {...common} data={(field.options ?? []).map((option) => ({ value: option, label: label(option) }))} allowDeselect={false} value={textOf(value) || null} onChange={onChange} />;
    }
    case 'tags':
    case 'numbers':
      return <TagsInput {...common} value={textsOf(value)} onChange={onChange} clearable={false} />;
    case 'jsonText':
    case 'jsonValue':
      return (
        <Input.Wrapper {...common}>
          <Json value={textOf(value)} label={common.label} onChange={onChange} />
        </Input.Wrapper>
      );
  }
}
