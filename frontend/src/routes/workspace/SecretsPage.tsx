import { Button, Modal } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { SecretData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { SecretForm } from '@/features/secrets/SecretForm';
import { useSecretColumns } from '@/features/secrets/secretColumns';
import { useMember } from '@/lib/session';

const SEARCHED_FROM = 10;
const SORT = { fields: ['name', 'changed'], initial: { field: 'name', descending: false } };
const HOW = {
  text: ({ name }: SecretData) => name,
  orders: {
    name: (one: SecretData, other: SecretData) => one.name.localeCompare(other.name),
    changed: (one: SecretData, other: SecretData) => one.updatedAt.localeCompare(other.updatedAt),
  },
};

/** Passwords and keys that services need. Values go in here, and never come out. */
export function SecretsPage() {
  const { t } = useTranslation('Secrets');
  const { account } = useMember();
  const query = coreApi.useCoreListSecretsQuery({ account });
  const [edited, setEdited] = useState<SecretData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<SecretData | null>(null);
  const [remove] = coreApi.useCoreDeleteSecretMutation();
  const state = useListState({ sort: SORT });
  const part = query.data && listPart(query.data, state, HOW);
  const searched = state.search !== '' || (query.data?.length ?? 0) >= SEARCHED_FROM;
  const title = edited === 'new' ? t('create') : t('replaceOf', { name: edited?.name ?? '' });
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
      columns={useSecretColumns({ account, onReplace: setEdited, onDelete: setDoomed })}
      rowKey={({ secretId }) => String(secretId)}
      rowName={({ name }) => name}
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
        title={title}
        closeOnClickOutside={false}
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {edited && (
          <SecretForm account={account} secret={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        )}
      </Modal>
      <Deletion
        opened={doomed !== null}
        title={t('deleteOf', { name: doomed?.name ?? '' })}
        account={account}
        remove={() => remove({ account, secretId: doomed?.secretId ?? 0 })}
        onClose={() => setDoomed(null)}
      >
        {t('deleteHint')}
      </Deletion>
    </ListPage>
  );
}
