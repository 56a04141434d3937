import { Drawer, Skeleton, Stack, Table, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { AccountInfoData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useDrafts } from '@/components/settings/drafts';
import { SaveScope } from '@/components/settings/SaveScope';

import { AccountPanel } from './AccountPanel';

const SHOWN = 50;
const DELAY_MS = 250;

export function Accounts() {
  return (
    <SaveScope withBar={false}>
      <Found />
    </SaveScope>
  );
}

function Found() {
  const { leave } = useDrafts();
  const { t } = useTranslation('Admin');
  const [text, setText] = useState('');
  const [name] = useDebouncedValue(text.trim(), DELAY_MS);
  const [opened, setOpened] = useState<AccountInfoData | null>(null);
  const { data, error, refetch } = coreApi.useCoreGetAccountsQuery({ name: name || null, limit: SHOWN });
  const problem = asProblem(error);
  return (
    <Stack>
      <TextInput
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !data && <Skeleton h={240} />}
      {data?.length === 0 && <Empty title={t('none')} />}
      {data && data.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('name')}</Table.Th>
                <Table.Th>{t('displayName')}</Table.Th>
                <Table.Th>{t('email')}</Table.Th>
                <Table.Th ta="right">{t('id')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((account) => (
                <Table.Tr key={account.accountId} onClick={() => setOpened(account)} style={{ cursor: 'pointer' }}>
                  <Table.Td ff="monospace">
                    <button type="button" style={{ all: 'unset', cursor: 'pointer' }} onClick={() => setOpened(account)}>
                      {account.shortName}
                    </button>
                  </Table.Td>
                  <Table.Td>{account.displayName}</Table.Td>
                  <Table.Td>{account.email}</Table.Td>
                  <Table.Td ta="right" ff="monospace">
                    {account.accountId}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Drawer opened={opened !== null} onClose={() => leave(() => setOpened(null))} position="right" size="lg" title={opened?.shortName} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {opened && <AccountPanel accountId={opened.accountId} />}
      </Drawer>
    </Stack>
  );
}
