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

interface Typed {
  text: string;
  /** The search text that the address had when it was last looked at. */
  address: string;
  /** Search texts of this box that the address is going to have: it changes later, while people type on. */
  coming: readonly string[];
}

/** The address has changed: as this box has asked, or by the back button or a link. Then the box shows the new text. */
function follow(typed: Typed, search: string): Typed {
  const place = typed.coming.indexOf(search);
  return place < 0
    ? { text: search, address: search, coming: [] }
    : { text: typed.text, address: search, coming: typed.coming.slice(place + 1) };
}

/** Searches when the typing pauses. `/` focuses it from anywhere on the page. */
export function SearchBox({ search, onChange, label }: Props) {
  const { t } = useTranslation('Catalog');
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<Typed>({ text: search, address: search, coming: [] });
  if (typed.address !== search) setTyped(follow(typed, search));
  const find = useDebounced((value: string) => {
    setTyped((now) =>
      value.trim() === (now.coming.at(-1) ?? now.address) ? now : { ...now, coming: [...now.coming, value.trim()] },
    );
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
