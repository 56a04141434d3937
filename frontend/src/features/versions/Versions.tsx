import { Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelVersionData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { RowAction } from '@/components/list/RowAction';
import { useListState } from '@/components/list/useListState';
import { mayDevelop } from '@/lib/rights';
import { useSession } from '@/lib/session';

import { FieldChanges } from './FieldChanges';
import { RestoreVersion } from './RestoreVersion';

const SIZE = 20;

interface Props {
  account: string;
  model: string;
}

/** Who changed which settings of a service, the newest first. Only members who may change them see it. */
export function Versions(props: Props) {
  const { t } = useTranslation('Versions');
  const session = useSession();
  if (session.state === 'signed-in' && !mayDevelop(session))
    return <Empty title={t('closed')}>{t('closedHint')}</Empty>;
  return <History {...props} />;
}

function History({ account, model }: Props) {
  const { t } = useTranslation('Versions');
  const state = useListState();
  const [chosen, setChosen] = useState<number | null>(null);
  const query = coreApi.useCoreGetModelVersionsQuery(
    { account, model, page: state.page - 1, size: SIZE, sort: 'version,desc' },
    { refetchOnMountOrArgChange: true },
  );
  const newest = state.page === 1 ? query.data?.records[0]?.version : undefined;
  return (
    <>
      <List<ModelVersionData>
        label={t('title')}
        query={query}
        rows={query.data?.records}
        pages={query.data?.paging.totalPages}
        total={query.data?.paging.totalElements}
        state={state}
        columns={useColumns(newest, setChosen)}
        rowKey={({ version }) => String(version)}
        rowName={({ version }) => t('number', { number: version })}
        empty={{ title: t('none'), hint: t('noneHint') }}
      />
      <RestoreVersion account={account} model={model} version={chosen} onClose={() => setChosen(null)} />
    </>
  );
}

/** The newest version is what the service has now: there is nothing to restore. */
function useColumns(newest: number | undefined, onRestore: (version: number) => void): Column<ModelVersionData>[] {
  const { t } = useTranslation('Versions');
  return [
    {
      name: 'version',
      label: t('version'),
      width: 110,
      cell: ({ version }) => (
        <Text span inherit fw={500}>
          {version}
        </Text>
      ),
    },
    { name: 'what', label: t('what'), cell: (row) => <What version={row} /> },
    { name: 'by', label: t('by'), width: 220, cell: (row) => <Author version={row} /> },
    { name: 'when', label: t('when'), width: 150, cell: ({ occurredAt }) => <When at={occurredAt} /> },
    {
      name: 'actions',
      label: t('actions'),
      width: 56,
      actions: true,
      cell: ({ version }) =>
        version === newest ? null : (
          <RowAction
            label={t('restoreOf', { number: version })}
            Icon={IconHistory}
            onClick={() => onRestore(version)}
          />
        ),
    },
  ];
}

function What({ version: { kind, restoredVersion, changes } }: { version: ModelVersionData }) {
  const { t } = useTranslation('Versions');
  return (
    <>
      {t(`kind.${kind}`, { number: restoredVersion })}
      <FieldChanges changes={changes} />
    </>
  );
}

function Author({ version: { kind, author } }: { version: ModelVersionData }) {
  const { t } = useTranslation('Versions');
  const nobody = t(kind === 'MOVED' ? 'team' : 'unknown');
  return (
    <Text span inherit style={{ overflowWrap: 'anywhere' }}>
      {author ?? nobody}
    </Text>
  );
}
