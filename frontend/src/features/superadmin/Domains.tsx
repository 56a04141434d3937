import { ActionIcon, Button, Checkbox, Group, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem } from '@/api';
import type { DomainOption } from '@/api/generated/accounts.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';

const NEW: DomainOption = { domain: '', product: 'mlp', internalUserUiAvailable: false, ownerOnly: false };

/** Hosts of this platform with their audiences. All are replaced together. */
export function Domains() {
  const { data, error, refetch } = accountsApi.useAccountsListDomainsQuery();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  // A new list from the server resets the form.
  return data ? <Editor key={JSON.stringify(data.domains)} saved={data.domains} /> : <Skeleton h={160} />;
}

function Editor({ saved }: { saved: DomainOption[] }) {
  const { t } = useTranslation('Admin');
  const [domains, setDomains] = useState(() => saved.map((domain) => ({ key: domain.domain, domain })));
  const [replace, { isLoading }] = accountsApi.useAccountsReplaceDomainsMutation();
  const toast = useProblemToast();
  const changed = JSON.stringify(domains.map(({ domain }) => domain)) !== JSON.stringify(saved);
  const complete = domains.every(({ domain: { domain, product } }) => domain.trim() && product.trim());
  const save = async () => {
    const { error } = await replace({ domainsInput: { domains: domains.map(({ domain }) => domain) } });
    if (!toast(t('failed'), error)) toastDone(t('saved'));
  };
  const change = (key: string, part: Partial<DomainOption>) => setDomains((now) => now.map((row) => (row.key === key ? { key, domain: { ...row.domain, ...part } } : row)));
  return (
    <Stack>
      {domains.length === 0 && <Text c="dimmed">{t('noDomains')}</Text>}
      {domains.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table>
            <Table.Tbody>
              {domains.map(({ key, domain }) => (
                <DomainRow key={key} domain={domain} onChange={(part) => change(key, part)} onRemove={() => setDomains((now) => now.filter((row) => row.key !== key))} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group>
        <Button onClick={() => void save()} loading={isLoading} disabled={!changed || !complete}>
          {t('save')}
        </Button>
        <Button variant="default" onClick={() => setDomains((now) => [...now, { key: crypto.randomUUID(), domain: NEW }])}>
          {t('addDomain')}
        </Button>
      </Group>
    </Stack>
  );
}

function DomainRow({ domain, onChange, onRemove }: { domain: DomainOption; onChange: (part: Partial<DomainOption>) => void; onRemove: () => void }) {
  const { t } = useTranslation('Admin');
  return (
    <Table.Tr>
      <Table.Td>
        <TextInput aria-label={t('domain')} placeholder="ml.example.org" value={domain.domain} maxLength={253} onChange={({ currentTarget }) => onChange({ domain: currentTarget.value })} />
      </Table.Td>
      <Table.Td w={140}>
        <TextInput aria-label={t('product')} value={domain.product} maxLength={64} onChange={({ currentTarget }) => onChange({ product: currentTarget.value })} />
      </Table.Td>
      <Table.Td>
        <Checkbox label={t('internalUi')} checked={domain.internalUserUiAvailable} onChange={({ currentTarget }) => onChange({ internalUserUiAvailable: currentTarget.checked })} />
      </Table.Td>
      <Table.Td>
        <Checkbox label={t('ownerOnly')} checked={domain.ownerOnly} onChange={({ currentTarget }) => onChange({ ownerOnly: currentTarget.checked })} />
      </Table.Td>
      <Table.Td w={48}>
        <ActionIcon variant="subtle" color="red" aria-label={t('removeDomain', { domain: domain.domain })} onClick={onRemove}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}
