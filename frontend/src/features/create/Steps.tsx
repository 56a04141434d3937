import { NumberInput, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { MONOSPACED } from '@/components/code/monospaced';
import { ServiceName } from '@/components/ServiceName';
import { TagField } from '@/components/TagField';
import { ADDRESS_SEPARATORS } from '@/components/tagSeparators';
import { RoomPanel } from '@/features/room/RoomPanel';
import type { useNameCheck } from '@/lib/useNameCheck';
import { useTaskNames } from '@/lib/useTaskNames';

import type { Draft, TaskType } from './draft';

interface Props {
  account: string;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

const SEARCH_DELAY_MS = 250;
const OFFERED = 30;

/** An address, or one of the images that the account may use. */
export function ImageStep({ account, draft, change }: Props) {
  const { t } = useTranslation('Create');
  const [search, setSearch] = useState('');
  const [name] = useDebouncedValue(search, SEARCH_DELAY_MS);
  const { data, isLoading } = coreApi.useCoreGetPagedImagesV2Query({
    account,
    name: name || null,
    belonging: 'ALL',
    size: OFFERED,
  });
  const images = data?.records ?? [];
  const choose = (value: string | null) => {
    const found = images.find(({ id }) => `${id.accountId}/${id.imageId}` === value);
    change({ existing: found ? { ...found.id, address: found.image } : null });
  };
  return (
    <Stack maw={560}>
      <TextInput
        label={t('image')}
        description={t('imageHint')}
        required={draft.existing === null}
        disabled={draft.existing !== null}
        data-autofocus
        styles={MONOSPACED}
        maxLength={512}
        placeholder="registry.example.org/team/model:1.0"
        value={draft.existing?.address ?? draft.address}
        onChange={({ currentTarget }) => change({ address: currentTarget.value })}
      />
      {(images.length > 0 || search !== '' || isLoading) && (
        <Select
          label={t('existing')}
          placeholder={t('existingHint')}
          data={images.map(({ id, name: label, image }) => ({
            value: `${id.accountId}/${id.imageId}`,
            label: `${label} · ${image}`,
          }))}
          searchable
          searchValue={search}
          onSearchChange={setSearch}
          filter={({ options }) => options}
          clearable
          clearButtonProps={{ 'aria-label': t('otherImage') }}
          value={draft.existing ? `${draft.existing.accountId}/${draft.existing.imageId}` : null}
          onChange={choose}
        />
      )}
    </Stack>
  );
}

export function NameStep({ draft, change, check }: Props & { check: ReturnType<typeof useNameCheck> }) {
  const { t } = useTranslation('Create');
  const names = useTaskNames();
  const { data: types = [] } = coreApi.useCoreGetTaskTypesQuery();
  return (
    <Stack maw={560}>
      <ServiceName value={draft.name} check={check} onChange={(name) => change({ name })} />
      <TextInput
        label={t('displayName')}
        maxLength={255}
        value={draft.displayName}
        onChange={({ currentTarget }) => change({ displayName: currentTarget.value })}
      />
      <Select
        label={t('taskType')}
        description={t('taskTypeHint')}
        data={types.map((type) => ({ value: type.name, label: names(type.name) }))}
        value={draft.taskType}
        allowDeselect={false}
        onChange={(value) => value && change({ taskType: value as TaskType })}
      />
      <TagField
        label={t('languages')}
        description={t('Settings:hint.languages')}
        separators={ADDRESS_SEPARATORS}
        value={draft.languages}
        onChange={(languages) => change({ languages })}
      />
      <Textarea
        label={t('description')}
        maxLength={2000}
        autosize
        minRows={2}
        value={draft.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
    </Stack>
  );
}

/** The empty value of the list of groups, which must be a text. */
const DEFAULT = '';
const NEEDS = {};

/** What the defaults say runs on the platform at once. */
export function HostingStep({ account, draft, change }: Props) {
  const { t } = useTranslation('Create');
  const { data: groups = [] } = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const names = [...new Set(groups.map(({ name }) => name))];
  return (
    <Stack maw={560}>
      <Radio.Group label={t('hosting')} value={draft.hosting} onChange={(hosting) => change({ hosting })}>
        <Stack mt="xs" gap="sm">
          <Radio value="INTERNAL" label={t('platform')} description={t('platformHint')} />
          <Radio value="EXTERNAL" label={t('external')} description={t('externalHint')} />
        </Stack>
      </Radio.Group>
      {draft.hosting === 'INTERNAL' && (
        <>
          <NumberInput
            label={t('instances')}
            description={t('instancesHint')}
            min={0}
            max={1000}
            allowDecimal={false}
            value={draft.instances}
            onChange={(value) => change({ instances: Number(value) || 0 })}
          />
          <Select
            label={t('group')}
            allowDeselect={false}
            data={[{ value: DEFAULT, label: t('Settings:defaultGroup') }, ...names]}
            value={draft.resourceGroup ?? DEFAULT}
            onChange={(group) => change({ resourceGroup: group || null })}
          />
          <RoomPanel
            account={account}
            group={draft.resourceGroup}
            limits={NEEDS}
            startTimeoutSec={undefined}
            image={draft.existing?.address ?? draft.address.trim()}
          />
        </>
      )}
    </Stack>
  );
}
