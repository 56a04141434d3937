import { Select } from '@mantine/core';
import { useSearchParams } from 'react-router';

interface Props {
  /** The parameter of the address. */
  name: string;
  label: string;
  /** The choice that the address does not name. */
  all: string;
  options: readonly { value: string; label: string }[];
}

/** Chooses one part of what is shown, or all of it; the address keeps it. */
export function ChoiceSelect({ name, label, all, options }: Props) {
  const [search, setSearch] = useSearchParams();
  const value = search.get(name) ?? '';
  const known =
    options.some((option) => option.value === value) || value === '' ? options : [...options, { value, label: value }];
  const choose = (chosen: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (chosen) after.set(name, chosen);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return (
    <Select
      w={220}
      aria-label={label}
      allowDeselect={false}
      data={[{ value: '', label: all }, ...known]}
      value={value}
      onChange={choose}
    />
  );
}
