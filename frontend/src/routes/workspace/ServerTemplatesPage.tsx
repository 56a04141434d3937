import { Button, Drawer, Stack, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ServerTemplateData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { List } from '@/components/list/List';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { useTemplateColumns } from '@/features/resources/templates/templateColumns';
import { type Edited, TemplateForm } from '@/features/resources/templates/TemplateForm';
import { useMember } from '@/lib/session';

const SEARCHED_FROM = 10;
const SORT = { fields: ['name'], initial: { field: 'name', descending: false } };
const HOW = {
  text: ({ name, description }: ServerTemplateData) => `${name} ${description}`,
  orders: { name: (one: ServerTemplateData, other: ServerTemplateData) => one.name.localeCompare(other.name) },
};

/** Configurations of servers under a name: the account's own ones, and those that the platform has published. */
export function ServerTemplatesPage() {
  const { t } = useTranslation('Templates');
  const { account } = useMember();
  const own = coreApi.useCoreGetOwnTemplatesQuery({ account });
  const [edited, setEdited] = useState<Edited | null>(null);
  const [doomed, setDoomed] = useState<ServerTemplateData | null>(null);
  const [remove] = coreApi.useCoreDeleteServerTemplateMutation();
  const state = useListState({ sort: SORT });
  const part = own.data && listPart(own.data, state, HOW);
  const searched = state.search !== '' || (own.data?.length ?? 0) >= SEARCHED_FROM;
  const create = () => setEdited({ kind: 'create' });
  const copy = (template: ServerTemplateData) => setEdited({ kind: 'copy', template });
  const close = () => setEdited(null);
  const titleOf = (which: Edited) =>
    which.kind === 'create' ? t('create') : t(`${which.kind}Of`, { name: which.template.name });
  return (
    <ListPage
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
          {t('create')}
        </Button>
      }
      query={own}
      {...part}
      rows={part?.rows}
      state={state}
      search={searched ? t('Catalog:search') : undefined}
      columns={useTemplateColumns({
        onCopy: copy,
        onEdit: (template) => setEdited({ kind: 'edit', template }),
        onDelete: setDoomed,
      })}
      rowKey={({ id }) => String(id)}
      rowName={({ name }) => name}
      expected={3}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button variant="light" onClick={create}>
            {t('first')}
          </Button>
        ),
      }}
    >
      <OfThePlatform account={account} ready={Boolean(own.data ?? own.error)} onCopy={copy} />
      <Drawer
        opened={edited !== null}
        onClose={close}
        position="right"
        size="lg"
        title={edited ? titleOf(edited) : ''}
        closeOnClickOutside={false}
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {edited && <TemplateForm account={account} edited={edited} onDone={close} />}
      </Drawer>
      <Deletion
        opened={doomed !== null}
        title={t('deleteTitle', { name: doomed?.name ?? '' })}
        account={account}
        remove={() => remove({ account, templateId: doomed?.id ?? 0 })}
        onClose={() => setDoomed(null)}
      >
        {t('deleteHint')}
      </Deletion>
    </ListPage>
  );
}

interface OfThePlatformProps {
  account: string;
  ready: boolean;
  onCopy: (template: ServerTemplateData) => void;
}

/** Shown when the list above is there, which would push it down. */
function OfThePlatform({ account, ready, onCopy }: OfThePlatformProps) {
  const { t } = useTranslation('Templates');
  const query = coreApi.useCoreGetPublicTemplatesQuery({ account });
  const columns = useTemplateColumns({ onCopy });
  if (!ready || !query.data?.length) return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('ofThePlatform')}</Title>
      <List
        label={t('ofThePlatform')}
        query={query}
        rows={query.data}
        columns={columns.map((column) => ({ ...column, sortable: false }))}
        rowKey={({ id }) => String(id)}
        rowName={({ name }) => name}
        empty={{ title: t('none'), hint: '' }}
      />
    </Stack>
  );
}
