import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { DataImageInfoData } from '@/api/generated/core.gen';

import type { ChosenDataImage } from './useDataImage';

const SEARCH_DELAY_MS = 250;
const OFFERED = 30;

const valueOf = ({ accountId, imageId }: DataImageInfoData['id']) => `${accountId}/${imageId}`;
const labelOf = ({ name, imageAccountName, id }: ChosenDataImage) => `${name} · ${imageAccountName ?? id.accountId}`;

interface Props extends Pick<SelectProps, 'label' | 'className' | 'classNames' | 'error' | 'readOnly'> {
  account: string;
  /** The ids of the chosen one, and what is known of it. */
  id: DataImageInfoData['id'] | null;
  chosen: ChosenDataImage | null;
  onChoose: (id: DataImageInfoData['id']) => void;
}

/** One of the data images that the account may mount: its own, and those that others share. */
export function DataImageSelect({ account, id, chosen, onChoose, ...input }: Props) {
  const { t } = useTranslation('DataImages');
  const [search, setSearch] = useState('');
  const shown = id && { value: valueOf(id), label: chosen ? labelOf(chosen) : t('numbered', { number: id.imageId }) };
  // The field holds the label of the chosen one until somebody types.
  const [name] = useDebouncedValue(search === shown?.label ? '' : search, SEARCH_DELAY_MS);
  const { data } = coreApi.useCoreGetPagedDataImagesQuery(
    { account, name: name || null, size: OFFERED, sort: 'name,asc' },
    { skip: input.readOnly === true },
  );
  const offered = (data?.records ?? []).map((image) => ({
    value: valueOf(image.id),
    label: labelOf(image),
    id: image.id,
  }));
  const others = offered.filter(({ value }) => value !== shown?.value);
  return (
    <Select
      {...input}
      placeholder={t('choose')}
      searchable
      allowDeselect={false}
      nothingFoundMessage={data ? t(name ? 'notFound' : 'noneToChoose') : null}
      onSearchChange={setSearch}
      // The server has searched. The chosen one is among the options only to be shown in the field.
      filter={({ options }) =>
        name
          ? options.filter((option) => 'value' in option && offered.some(({ value }) => value === option.value))
          : options
      }
      data={
        shown
          ? [shown, ...others.map(({ value, label }) => ({ value, label }))]
          : others.map(({ value, label }) => ({ value, label }))
      }
      value={shown?.value ?? null}
      onChange={(value) => {
        const found = offered.find((option) => option.value === value);
        if (found) onChoose(found.id);
      }}
    />
  );
}
