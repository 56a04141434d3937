import { Pill, TagsInput, type TagsInputProps } from '@mantine/core';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './TagField.module.css';

/** Of addresses, which have no spaces. */
const SEPARATORS = [',', ';', ' ', '\n', '\r', '\t'];
/** Of names that may have spaces. */
export const NAME_SEPARATORS = SEPARATORS.filter((character) => character !== ' ');

interface Props extends Omit<TagsInputProps, 'value' | 'onChange' | 'renderPill' | 'splitChars' | 'onKeyDown'> {
  value: string[];
  onChange: (tags: string[]) => void;
  separators?: string[];
  isWrong?: (tag: string) => boolean;
}

/** Any number of texts; each has a button that removes it. Enter adds what is typed, and never sends the form. */
export function TagField({ value, onChange, separators = SEPARATORS, isWrong, ...input }: Props) {
  const { t } = useTranslation('App');
  const field = useRef<HTMLInputElement>(null);
  // A text that is left in the field is added whole.
  const split = (tag: string) => (value.includes(tag) ? [tag] : tag.split(new RegExp(`[${separators.join('')}]`)).map((part) => part.trim()).filter(Boolean));
  return (
    <TagsInput
      {...input}
      ref={field}
      value={value}
      onChange={(tags) => onChange([...new Set(tags.flatMap(split))])}
      splitChars={separators}
      onKeyDown={keepForm}
      renderPill={({ value: tag, onRemove, disabled }) => (
        <Pill
          withRemoveButton
          disabled={disabled ?? false}
          title={String(tag)}
          classNames={{ root: classes.pill ?? '', label: classes.label ?? '', remove: classes.remove ?? '' }}
          mod={{ wrong: isWrong?.(String(tag)) }}
          removeButtonProps={{ type: 'button', tabIndex: 0, 'aria-hidden': undefined, 'aria-label': t('removeTag', { name: String(tag) }) }}
          onRemove={() => {
            onRemove?.();
            field.current?.focus();
          }}
        >
          {String(tag)}
        </Pill>
      )}
    />
  );
}

/** Who pastes and presses Enter means the texts, not the form. */
function keepForm(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key === 'Enter' && event.currentTarget.value.trim() === '') event.preventDefault();
}
