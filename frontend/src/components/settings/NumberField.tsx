import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { FieldSpec } from './fields';
import { MEDIUM, NARROW } from './rows';
import classes from './rows.module.css';

interface NumberProps {
  field: FieldSpec;
  common: {
    label: string;
    description: string | undefined;
    error: ReactNode;
    disabled: boolean | undefined;
    inputContainer?: (control: ReactNode) => ReactNode;
  };
  value: number | string;
  currency: string | undefined;
  onChange: (value: unknown) => void;
}

/** As narrow as numbers are, with the unit inside. Screen readers get the unit's full name with the label. */
export default function NumberField({
  field: { min, max, decimals, optional, unit, placeholder },
  common,
  value,
  currency,
  onChange,
}: NumberProps) {
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
      rightSection={
        short && (
          <span className={classes.unit} aria-hidden>
            {short}
          </span>
        )
      }
      rightSectionWidth={short && 20 + short.length * 8}
      rightSectionPointerEvents={short ? 'none' : undefined}
      value={value}
      onChange={onChange}
    />
  );
}
