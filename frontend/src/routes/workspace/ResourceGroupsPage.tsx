import { Badge, Button, Group, Modal, Stack, Switch, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ResourceGroupEssentialData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { useMember } from '@/lib/session';

const SORT = { fields: ['name'], initial: { field: 'name', descending: false } };
const HOW = {
  text: ({ name }: ResourceGroupEssentialData) => name,
  orders: {
    name: (one: ResourceGroupEssentialData, other: ResourceGroupEssentialData) => one.name.localeCompare(other.name),
  },
};
const SEARCHED_FROM = 10;

/** Where services run: one's own groups of servers, and those of others that one may use. */
export function ResourceGroupsPage() {
  const { t } = useTranslation('Resources');
  const { account } = useMember();
  const owned = coreApi.useCoreGetOwnedResourceGroupsQuery({ account });
  const [creating, setCreating] = useState(false);
  const state = useListState({ sort: SORT });
  const part = owned.data && listPart(owned.data, state, HOW);
  const searched = state.search !== '' || (owned.data?.length ?? 0) >= SEARCHED_FROM;
  return (
    <ListPage
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t('create')}
        </Button>
      }
      query={owned}
      {...part}
      rows={part?.rows}
      state={state}
      search={searched ? t('Catalog:search') : undefined}
      columns={useColumns()}
      rowKey={({ name }) => name}
      rowName={({ name }) => name}
      to={addressOf}
      expected={3}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button variant="light" onClick={() => setCreating(true)}>
            {t('first')}
          </Button>
        ),
      }}
    >
      <OfOthers account={account} ready={Boolean(owned.data ?? owned.error)} />
      <Modal
        opened={creating}
        onClose={() => setCreating(false)}
        title={t('create')}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        <CreateForm account={account} onDone={() => setCreating(false)} />
      </Modal>
    </ListPage>
  );
}

const addressOf = ({ ownerId, name }: ResourceGroupEssentialData) =>
  `/workspace/resource-group/${ownerId}/${encodeURIComponent(name)}`;

/** They are used when a service is created; only their owners open them. Shown when the list above is there, which would push them down. */
function OfOthers({ account, ready }: { account: string; ready: boolean }) {
  const { t } = useTranslation('Resources');
  const query = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const others = (query.data ?? []).filter(({ ownerId }) => String(ownerId) !== account);
  const columns = useColumns();
  if (!ready || others.length === 0) return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('ofOthers')}</Title>
      <List
        label={t('ofOthers')}
        query={query}
        rows={others}
        columns={columns}
        rowKey={({ ownerId, name }) => `${ownerId}/${name}`}
        rowName={({ name }) => name}
        empty={{ title: t('none'), hint: '' }}
      />
    </Stack>
  );
}

function useColumns(): Column<ResourceGroupEssentialData>[] {
  const { t } = useTranslation('Resources');
  return [
    { name: 'name', label: t('name'), sortable: true, cell: ({ name }) => name },
    { name: 'type', label: t('hosting'), width: 180, cell: ({ resourceGroupType }) => t(`type.${resourceGroupType}`) },
    {
      name: 'access',
      label: t('accessOf'),
      width: 240,
      cell: ({ access, isDefault }) => (
        <Group gap={4}>
          <Badge variant="default">{t(`access.${access}`)}</Badge>
          {isDefault && <Badge variant="light">{t('default')}</Badge>}
        </Group>
      ),
    },
  ];
}

function CreateForm({ account, onDone }: { account: string; onDone: () => void }) {
  const { t } = useTranslation('Resources');
  const [create, { isLoading }] = coreApi.useCoreCreateResourceGroupMutation();
  const form = useForm({
    initialValues: { name: '', isDefault: false },
    validate: { name: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ name, isDefault }) => {
    refusal.clear();
    const { error } = await create({
      account,
      createResourceGroupData: { name: name.trim(), isDefault, resourceGroupType: 'HOSTING_SERVER' },
    });
    if (!refusal.show(error)) onDone();
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          required
          data-autofocus
          maxLength={64}
          {...form.getInputProps('name')}
        />
        <Switch
          label={t('default')}
          description={t('hint.isDefault')}
          {...form.getInputProps('isDefault', { type: 'checkbox' })}
        />
        <Button type="submit" loading={isLoading}>
          {t('create')}
        </Button>
      </Stack>
    </form>
  );
}
