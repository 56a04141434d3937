import { TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useDebounced } from '@/lib/useDebounced';

const SEARCH_DELAY_MS = 250;

interface Props {
  /** The search text in the address. */
  search: string;
  onChange: (name: string, value: string | null) => void;
  label?: string;
}

/** Searches when the typing pauses. `/` focuses it from anywhere on the page. */
export function SearchBox({ search, onChange, label }: Props) {
  const { t } = useTranslation('Catalog');
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState({ text: search, address: search });
  // The address may change, by the back button or a link; then the box shows the new text.
  if (typed.address !== search) setTyped({ text: search, address: search });
  const find = useDebounced((value: string) => {
    setTyped({ text: value, address: value.trim() });
    onChange('search', value.trim() || null);
  }, SEARCH_DELAY_MS);
  useHotkeys([['/', () => box.current?.focus()]]);
  return (
    <TextInput
      ref={box}
      type="search"
      aria-label={label ?? t('search')}
      placeholder={label ?? t('search')}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed.text}
      maxLength={64}
      onChange={({ currentTarget }) => {
        setTyped((now) => ({ ...now, text: currentTarget.value }));
        find(currentTarget.value);
      }}
    />
  );
}
