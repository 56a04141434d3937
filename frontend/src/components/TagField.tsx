import { Pill, PillsInput, type PillsInputProps } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './TagField.module.css';
import { NAME_SEPARATORS } from './tagSeparators';

interface Props extends Omit<PillsInputProps, 'value' | 'onChange' | 'children'> {
  value: readonly string[];
  onChange: (tags: string[]) => void;
  placeholder?: string;
  separators?: readonly string[];
  isWrong?: (tag: string) => boolean;
  /** Whether texts that differ only in case are different. */
  caseSensitive?: boolean | undefined;
  /** The text that is typed and not added yet. */
  onSearchChange?: (text: string) => void;
}

/**
 * Any number of texts; each has a button that removes it. Enter, a separator, or leaving the field adds what is typed, Escape clears
 * it. Enter never sends the form.
 */
export function TagField({
  value,
  onChange,
  placeholder,
  separators = NAME_SEPARATORS,
  isWrong,
  caseSensitive = false,
  onSearchChange,
  disabled = false,
  ...input
}: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const write = (typed: string) => {
    setText(typed);
    onSearchChange?.(typed);
  };
  const isSame = (one: string, other: string) =>
    one === other || (!caseSensitive && one.toLowerCase() === other.toLowerCase());
  const add = (typed: string) => {
    const added = typed
      .split(new RegExp(`[${separators.join('')}]`))
      .map((part) => part.trim())
      .filter(Boolean);
    if (typed !== '' || text !== '') write('');
    if (added.length > 0)
      onChange(
        added.reduce<string[]>(
          (tags, tag) => (tags.some((other) => isSame(other, tag)) ? tags : [...tags, tag]),
          [...value],
        ),
      );
  };
  const remove = (tag: string) => {
    onChange(value.filter((other) => other !== tag));
    field.current?.focus();
  };
  const change = ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const typed = currentTarget.value;
    const composing = nativeEvent instanceof InputEvent && nativeEvent.isComposing;
    if (!composing && separators.some((separator) => typed.includes(separator))) add(typed);
    else write(typed);
  };
  // In a field of one line the browser would join the lines.
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    if (event.clipboardData.getData('text/plain') === '') return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    add(
      text.slice(0, selectionStart ?? text.length) +
        event.clipboardData.getData('text/plain') +
        text.slice(selectionEnd ?? text.length),
    );
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      // Who pastes and presses Enter means the texts, not the form.
      event.preventDefault();
      add(text);
    }
    if (event.key === 'Escape' && text !== '') write('');
    if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1));
  };
  return (
    <PillsInput {...input} disabled={disabled}>
      <Pill.Group disabled={disabled}>
        {value.map((tag) => (
          <Tag key={tag} tag={tag} wrong={isWrong?.(tag) ?? false} disabled={disabled} onRemove={() => remove(tag)} />
        ))}
        {/* What is around it, such as a drawer, is not closed by the Escape that clears the text. */}
        <PillsInput.Field
          ref={field}
          placeholder={placeholder}
          value={text}
          data-mantine-stop-propagation={text !== ''}
          onChange={change}
          onPaste={paste}
          onKeyDown={press}
          onBlur={() => add(text)}
        />
      </Pill.Group>
    </PillsInput>
  );
}

interface TagProps {
  tag: string;
  wrong: boolean;
  disabled: boolean;
  onRemove: () => void;
}

function Tag({ tag, wrong, disabled, onRemove }: TagProps) {
  const { t } = useTranslation('App');
  return (
    <Pill
      withRemoveButton
      disabled={disabled}
      title={tag}
      classNames={{ root: classes.pill ?? '', label: classes.label ?? '', remove: classes.remove ?? '' }}
      mod={{ wrong }}
      removeButtonProps={{
        type: 'button',
        tabIndex: 0,
        'aria-hidden': undefined,
        'aria-label': t(wrong ? 'removeWrongTag' : 'removeTag', { name: tag }),
      }}
      onRemove={onRemove}
    >
      {wrong && <IconAlertTriangle size={12} className={classes.mark} aria-hidden />}
      {tag}
    </Pill>
  );
}
