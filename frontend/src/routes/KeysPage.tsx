import { Badge, Button, Code, Group, Modal, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { AccessTokenData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/ProblemView';
import { toastDone, toastErrorOnce } from '@/components/Toasts';
import { CreateKey } from '@/features/keys/CreateKey';
import { keyId } from '@/features/keys/useKeys';
import { useMember } from '@/lib/session';
import { formatMoment, fromNow } from '@/lib/time';

export function KeysPage() {
  const { t } = useTranslation('Keys');
  const { account } = useMember();
  const { data, error, refetch } = coreApi.useCoreListAccessTokensQuery({ account });
  const [creating, drawer] = useDisclosure(false);
  const problem = asProblem(error);
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={drawer.open}>
          {t('create')}
        </Button>
      }
    >
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !data && <Skeleton h={160} />}
      {data?.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {data && data.length > 0 && <KeyTable account={account} keys={data} />}
      <CreateKey account={account} opened={creating} onClose={drawer.close} />
    </Page>
  );
}

function KeyTable({ account, keys }: { account: string; keys: AccessTokenData[] }) {
  const { t, i18n } = useTranslation('Keys');
  const [revoking, setRevoking] = useState<AccessTokenData | null>(null);
  return (
    <>
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('name')}</Table.Th>
              <Table.Th>{t('key')}</Table.Th>
              <Table.Th>{t('permissions')}</Table.Th>
              <Table.Th>{t('services')}</Table.Th>
              <Table.Th>{t('expires')}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.token}>
                <Table.Td fw={500}>{key.name}</Table.Td>
                <Table.Td>
                  <Code>{key.token}</Code>
                </Table.Td>
                <Table.Td>
                  <Group gap={4}>
                    {key.permissions.map((permission) => (
                      <Badge key={permission} variant="default" tt="none" fw={500}>
                        {t(`permission.${permission}`)}
                      </Badge>
                    ))}
                  </Group>
                </Table.Td>
                <Table.Td>{key.allowedServices ? key.allowedServices.length : t('allServices')}</Table.Td>
                <Table.Td title={key.expiresAt ? formatMoment(key.expiresAt) : undefined}>
                  {key.expiresAt ? fromNow(key.expiresAt, i18n.language) : t('never')}
                </Table.Td>
                <Table.Td ta="right">
                  <Button size="compact-sm" variant="subtle" color="red" onClick={() => setRevoking(key)}>
                    {t('revoke')}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Revoke account={account} revoking={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function Revoke({ account, revoking, onClose }: { account: string; revoking: AccessTokenData | null; onClose: () => void }) {
  const { t } = useTranslation('Keys');
  const [remove, { isLoading }] = coreApi.useCoreDeleteAccessTokenMutation();
  const confirm = async () => {
    if (!revoking) return;
    const { error } = await remove({ account, token: keyId(revoking.token) });
    if (error) toastErrorOnce(t('failed'), asProblem(error)?.message ?? '');
    else toastDone(t('revoked', { name: revoking.name }));
    onClose();
  };
  return (
    <Modal opened={revoking !== null} onClose={onClose} title={t('revokeTitle', { name: revoking?.name ?? '' })}>
      <Stack>
        <Text>{t('revokeHint')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('App:cancel')}
          </Button>
          <Button color="red" loading={isLoading} onClick={() => void confirm()}>
            {t('revoke')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
