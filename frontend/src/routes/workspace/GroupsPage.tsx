import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelGroupData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import type { Column } from '@/components/list/columns';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { RowAction } from '@/components/list/RowAction';
import { useListState } from '@/components/list/useListState';
import { useMember } from '@/lib/session';

const SORT = { fields: ['name'], initial: { field: 'name', descending: false } };
const HOW = {
  text: ({ name }: ModelGroupData) => name,
  orders: { name: (one: ModelGroupData, other: ModelGroupData) => one.name.localeCompare(other.name) },
};
const SEARCHED_FROM = 10;

/** Groups into which an account sorts its services. */
export function GroupsPage() {
  const { t } = useTranslation('Groups');
  const { account } = useMember();
  const query = coreApi.useCoreGetGroupsQuery({ account });
  const [edited, setEdited] = useState<ModelGroupData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<ModelGroupData | null>(null);
  const state = useListState({ sort: SORT });
  const part = query.data && listPart(query.data, state, HOW);
  const searched = state.search !== '' || (query.data?.length ?? 0) >= SEARCHED_FROM;
  return (
    <ListPage
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {t('create')}
        </Button>
      }
      query={query}
      {...part}
      rows={part?.rows}
      state={state}
      search={searched ? t('Catalog:search') : undefined}
      columns={useColumns(setEdited, setDoomed)}
      rowKey={({ id, name }) => String(id?.groupId ?? name)}
      rowName={({ name }) => name}
      to={({ id }) => `/workspace/services?group=${id?.groupId ?? 0}`}
      expected={4}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button variant="light" onClick={() => setEdited('new')}>
            {t('first')}
          </Button>
        ),
      }}
    >
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={t(edited === 'new' ? 'create' : 'rename')}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {edited && (
          <GroupForm account={account} group={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        )}
      </Modal>
      <DeleteGroup account={account} doomed={doomed} onClose={() => setDoomed(null)} />
    </ListPage>
  );
}

function useColumns(
  onEdit: (group: ModelGroupData) => void,
  onDelete: (group: ModelGroupData) => void,
): Column<ModelGroupData>[] {
  const { t } = useTranslation('Groups');
  return [
    { name: 'name', label: t('name'), sortable: true, cell: ({ name }) => name },
    {
      name: 'actions',
      label: t('actions'),
      width: 84,
      actions: true,
      cell: (group) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <RowAction label={t('renameOf', { name: group.name })} Icon={IconPencil} onClick={() => onEdit(group)} />
          <RowAction
            label={t('deleteOf', { name: group.name })}
            Icon={IconTrash}
            danger
            onClick={() => onDelete(group)}
          />
        </Group>
      ),
    },
  ];
}

function DeleteGroup({
  account,
  doomed,
  onClose,
}: {
  account: string;
  doomed: ModelGroupData | null;
  onClose: () => void;
}) {
  const { t } = useTranslation('Groups');
  const [remove] = coreApi.useCoreDeleteGroupMutation();
  const refused = useProblemToast();
  const end = async () => {
    if (!doomed?.id) return;
    const result = await remove({ account, groupId: doomed.id.groupId });
    refused(t('failed'), result.error);
    onClose();
  };
  return (
    <Confirm
      opened={doomed !== null}
      onClose={onClose}
      title={t('deleteTitle', { name: doomed?.name ?? '' })}
      action={t('App:delete')}
      onConfirm={end}
    >
      {t('deleteHint')}
    </Confirm>
  );
}

function GroupForm({ account, group, onDone }: { account: string; group: ModelGroupData | null; onDone: () => void }) {
  const { t } = useTranslation('Groups');
  const [create, creating] = coreApi.useCoreCreateGroupMutation();
  const [update, updating] = coreApi.useCoreUpdateGroupMutation();
  const form = useForm({ initialValues: { name: group?.name ?? '' } });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const name = values.name.trim();
    const { error } = group
      ? await update({ account, modelGroupData: { id: group.id ?? null, name } })
      : await create({ account, modelGroupData: { name } });
    if (refusal.show(error)) return;
    if (!group) toastDone(t('created'));
    onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput label={t('name')} data-autofocus required maxLength={128} {...form.getInputProps('name')} />
        <FormBanner refusal={refusal} />
        <Button type="submit" disabled={!form.values.name.trim()} loading={creating.isLoading || updating.isLoading}>
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
