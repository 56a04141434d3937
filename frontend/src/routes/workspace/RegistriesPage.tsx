import { Button, Modal } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { RegistryCredentialData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { RegistryForm } from '@/features/registries/RegistryForm';
import { useRegistryColumns } from '@/features/registries/registryColumns';
import { useMember } from '@/lib/session';

const SEARCHED_FROM = 10;
const SORT = { fields: ['host', 'changed'], initial: { field: 'host', descending: false } };
const HOW = {
  text: ({ host, username }: RegistryCredentialData) => `${host} ${username}`,
  orders: {
    host: (one: RegistryCredentialData, other: RegistryCredentialData) => one.host.localeCompare(other.host),
    changed: (one: RegistryCredentialData, other: RegistryCredentialData) =>
      one.updatedAt.localeCompare(other.updatedAt),
  },
};

/** Credentials with which servers pull the account's images. Passwords go in here, and never come out. */
export function RegistriesPage() {
  const { t } = useTranslation('Registries');
  const { account } = useMember();
  const query = coreApi.useCoreListRegistryCredentialsQuery({ account });
  const [edited, setEdited] = useState<RegistryCredentialData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<RegistryCredentialData | null>(null);
  const [remove] = coreApi.useCoreDeleteRegistryCredentialMutation();
  const state = useListState({ sort: SORT });
  const part = query.data && listPart(query.data, state, HOW);
  const searched = state.search !== '' || (query.data?.length ?? 0) >= SEARCHED_FROM;
  const title = edited === 'new' ? t('create') : t('replaceOf', { name: edited?.host ?? '' });
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
      columns={useRegistryColumns({ onReplace: setEdited, onDelete: setDoomed })}
      rowKey={({ credentialId }) => String(credentialId)}
      rowName={({ host }) => host}
      expected={3}
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
          <RegistryForm
            account={account}
            credential={edited === 'new' ? null : edited}
            onDone={() => setEdited(null)}
          />
        )}
      </Modal>
      <Deletion
        opened={doomed !== null}
        title={t('deleteOf', { name: doomed?.host ?? '' })}
        account={account}
        remove={() => remove({ account, credentialId: doomed?.credentialId ?? 0 })}
        onClose={() => setDoomed(null)}
      >
        {t('deleteHint')}
      </Deletion>
    </ListPage>
  );
}
