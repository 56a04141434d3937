import { Anchor, Button, Group, Modal, Skeleton, Stack, Table, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelGroupData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { useMember } from '@/lib/session';

/** Groups into which an account sorts its services. */
export function GroupsPage() {
  const { t } = useTranslation('Groups');
  const { account } = useMember();
  const { data, error, refetch } = coreApi.useCoreGetGroupsQuery({ account });
  const [edited, setEdited] = useState<ModelGroupData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<ModelGroupData | null>(null);
  const [remove] = coreApi.useCoreDeleteGroupMutation();
  const refused = useProblemToast();
  const problem = asProblem(error);
  const end = async () => {
    if (!doomed?.id) return;
    const result = await remove({ account, groupId: doomed.id.groupId });
    refused(t('failed'), result.error);
    setDoomed(null);
  };
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {t('create')}
        </Button>
      }
    >
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !data && <Skeleton h={200} />}
      {data?.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {data && data.length > 0 && <GroupTable groups={data} onEdit={setEdited} onDelete={setDoomed} />}
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title={t(edited === 'new' ? 'create' : 'rename')} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {edited && <GroupForm account={account} group={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />}
      </Modal>
      <Confirm opened={doomed !== null} onClose={() => setDoomed(null)} title={t('deleteTitle', { name: doomed?.name ?? '' })} action={t('App:delete')} onConfirm={end}>
        {t('deleteHint')}
      </Confirm>
    </Page>
  );
}

function GroupTable({ groups, onEdit, onDelete }: { groups: ModelGroupData[]; onEdit: (group: ModelGroupData) => void; onDelete: (group: ModelGroupData) => void }) {
  const { t } = useTranslation('Groups');
  return (
    <Table highlightOnHover>
      <Table.Tbody>
        {groups.map((group) => (
          <Table.Tr key={group.id?.groupId ?? group.name}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Anchor component={Link} to={`/workspace/services?group=${group.id?.groupId ?? 0}`} fw={500}>
                {group.name}
              </Anchor>
            </Table.Td>
            <Table.Td ta="right">
              <Group gap={4} justify="flex-end">
                <Button size="compact-sm" variant="subtle" onClick={() => onEdit(group)} aria-label={t('renameOf', { name: group.name })}>
                  {t('rename')}
                </Button>
                <Button size="compact-sm" variant="subtle" color="red" onClick={() => onDelete(group)} aria-label={t('deleteOf', { name: group.name })}>
                  {t('App:delete')}
                </Button>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function GroupForm({ account, group, onDone }: { account: string; group: ModelGroupData | null; onDone: () => void }) {
  const { t } = useTranslation('Groups');
  const [name, setName] = useState(group?.name ?? '');
  const [create, creating] = coreApi.useCoreCreateGroupMutation();
  const [update, updating] = coreApi.useCoreUpdateGroupMutation();
  const problem = asProblem(creating.error ?? updating.error);
  const submit = async () => {
    const { error } = group ? await update({ account, modelGroupData: { id: group.id ?? null, name: name.trim() } }) : await create({ account, modelGroupData: { name: name.trim() } });
    if (error) return;
    if (!group) toastDone(t('created'));
    onDone();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <TextInput label={t('name')} data-autofocus required maxLength={128} value={name} error={problem?.message} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        <Button type="submit" disabled={!name.trim()} loading={creating.isLoading || updating.isLoading}>
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
