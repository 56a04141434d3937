import { Input, type InputWrapperProps, Skeleton, Switch, Textarea, TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/code/Json';
import { MONOSPACED } from '@/components/code/monospaced';
import { ADDRESS_SEPARATORS, NAME_SEPARATORS } from '@/components/tagSeparators';
import { useTaskNames } from '@/lib/useTaskNames';

import { containerWith } from './containerWith';
import { type FieldSpec, labelOf } from './fields';
import { NARROW, ROW, SWITCH_ROW } from './rows';

// What few fields need is not part of a page's first load.
const NumberField = lazy(() => import('./NumberField'));
const ChoiceField = lazy(async () => ({ default: (await import('./choices')).ChoiceField }));
const TagField = lazy(async () => ({ default: (await import('@/components/TagField')).TagField }));

interface Props {
  field: FieldSpec;
  /** Section of the locales with the texts of the fields. */
  texts: string;
  value: unknown;
  error?: ReactNode;
  disabled?: boolean;
  /** Currency of the form, for prices. */
  currency?: string;
  /** Stands beside the control of a text or a number, below it where there is no room. */
  beside?: ReactNode;
  onChange: (value: unknown) => void;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown) => (Array.isArray(value) ? (value as string[]) : []);

type Common = Pick<InputWrapperProps, 'label' | 'description' | 'error'>;

/** Has the label, and the size of the control. */
function toCome({ label, description, error }: Common, width?: number): ReactNode {
  return (
    <Input.Wrapper label={label} description={description} error={error} classNames={ROW}>
      <Skeleton className={ROW.wrapper} h={36} maw={width} />
    </Input.Wrapper>
  );
}

/** One setting: its label and explanation, and its control. */
export function FieldControl({ field, texts, value, error, disabled, currency, beside, onChange }: Props) {
  const { t, i18n } = useTranslation(texts);
  const names = useTaskNames();
  const hintKey = `hint.${field.path}`;
  const label = t(labelOf(field));
  const hint = i18n.exists(`${texts}:${hintKey}`) ? t(hintKey) : undefined;
  const container = beside ? { inputContainer: containerWith(beside) } : {};
  const common = { label, description: hint, error, disabled, classNames: field.narrow ? NARROW : ROW, ...container };
  const font = field.code ? { styles: MONOSPACED } : {};
  switch (field.kind) {
    case 'text':
      return (
        <TextInput
          {...common}
          {...font}
          type={field.inputType}
          maxLength={field.maxLength}
          value={textOf(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'area':
      return (
        <Textarea
          {...common}
          {...font}
          autosize
          minRows={2}
          maxRows={10}
          value={textOf(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'number':
      return (
        <Suspense fallback={toCome(common, 200)}>
          <NumberField
            field={field}
            common={common}
            value={value as number | string}
            currency={currency}
            onChange={onChange}
          />
        </Suspense>
      );
    case 'switch':
      return (
        <Switch
          {...common}
          aria-label={label}
          classNames={SWITCH_ROW}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'select': {
      const named = (option: string) =>
        field.path === 'taskType' ? names(option) : t(`option.${field.path}.${option}`);
      return (
        <Suspense fallback={toCome(common)}>
          <ChoiceField
            common={common}
            data={(field.options ?? []).map((option) => ({ value: option, label: named(option) }))}
            value={textOf(value) || null}
            onChange={onChange}
          />
        </Suspense>
      );
    }
    case 'tags':
    case 'numbers':
      return (
        <Suspense fallback={toCome(common)}>
          <TagField
            {...common}
            caseSensitive={field.caseSensitive}
            separators={field.spaced || field.kind === 'numbers' ? ADDRESS_SEPARATORS : NAME_SEPARATORS}
            value={textsOf(value)}
            onChange={onChange}
          />
        </Suspense>
      );
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
