import { Anchor, Badge, Button, Group, Modal, Skeleton, Stack, Switch, Table, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ResourceGroupEssentialData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { FormBanner } from '@/components/feedback/FormBanner';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useMember } from '@/lib/session';

/** Where services run: one's own groups of servers, and those of others that one may use. */
export function ResourceGroupsPage() {
  const { t } = useTranslation('Resources');
  const { account } = useMember();
  const owned = coreApi.useCoreGetOwnedResourceGroupsQuery({ account });
  const deployable = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const [creating, setCreating] = useState(false);
  const problem = asProblem(owned.error);
  const others = (deployable.data ?? []).filter(({ ownerId }) => String(ownerId) !== account);
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t('create')}
        </Button>
      }
    >
      {problem && !owned.data && <ProblemView problem={problem} again={() => void owned.refetch()} />}
      {!problem && !owned.data && <Skeleton h={160} />}
      {owned.data?.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {owned.data && owned.data.length > 0 && <GroupTable groups={owned.data} own />}
      {others.length > 0 && (
        <Stack gap="sm" component="section">
          <Title order={2}>{t('ofOthers')}</Title>
          <GroupTable groups={others} own={false} />
        </Stack>
      )}
      <Modal opened={creating} onClose={() => setCreating(false)} title={t('create')} closeButtonProps={{ 'aria-label': t('App:close') }}>
        <CreateForm account={account} onDone={() => setCreating(false)} />
      </Modal>
    </Page>
  );
}

function GroupTable({ groups, own }: { groups: readonly ResourceGroupEssentialData[]; own: boolean }) {
  const { t } = useTranslation('Resources');
  return (
    <Table highlightOnHover>
      <Table.Tbody>
        {groups.map((group) => (
          <Table.Tr key={`${group.ownerId}/${group.name}`}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {own ? (
                <Anchor component={Link} fw={500} to={`/workspace/resource-group/${group.ownerId}/${encodeURIComponent(group.name)}`}>
                  {group.name}
                </Anchor>
              ) : (
                <Text fw={500}>{group.name}</Text>
              )}
            </Table.Td>
            <Table.Td>{t(`type.${group.resourceGroupType}`)}</Table.Td>
            <Table.Td ta="right">
              <Group gap={4} justify="flex-end">
                {group.isDefault && (
                  <Badge variant="default" tt="none" fw={500}>
                    {t('default')}
                  </Badge>
                )}
                <Badge variant="default" tt="none" fw={500}>
                  {t(`access.${group.access}`)}
                </Badge>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function CreateForm({ account, onDone }: { account: string; onDone: () => void }) {
  const { t } = useTranslation('Resources');
  const [create, { isLoading }] = coreApi.useCoreCreateResourceGroupMutation();
  const form = useForm({ initialValues: { name: '', isDefault: false }, validate: { name: (value) => (value.trim() ? null : t('Input:Required')) } });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ name, isDefault }) => {
    refusal.clear();
    const { error } = await create({ account, createResourceGroupData: { name: name.trim(), isDefault, resourceGroupType: 'HOSTING_SERVER' } });
    if (!refusal.show(error)) onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput label={t('name')} description={t('nameHint')} required data-autofocus maxLength={64} {...form.getInputProps('name')} />
        <Switch label={t('default')} description={t('defaultHint')} {...form.getInputProps('isDefault', { type: 'checkbox' })} />
        <Button type="submit" loading={isLoading}>
          {t('create')}
        </Button>
      </Stack>
    </form>
  );
}
