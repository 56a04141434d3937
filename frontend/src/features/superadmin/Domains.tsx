import { ActionIcon, Button, Checkbox, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, type Problem } from '@/api';
import type { DomainOption } from '@/api/generated/accounts.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useDraft } from '@/components/settings/drafts';
import { SaveScope } from '@/components/settings/SaveScope';
import { randomId } from '@/lib/randomId';

const NEW: DomainOption = { domain: '', product: 'mlp', internalUserUiAvailable: false, ownerOnly: false };

/** Hosts of this platform with their audiences. All are replaced together. */
export function Domains() {
  const { data, error, refetch } = accountsApi.useAccountsListDomainsQuery();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={160} />;
  return (
    <SaveScope>
      <Editor saved={data.domains} />
    </SaveScope>
  );
}

interface Row {
  key: string;
  domain: DomainOption;
}

const rowsOf = (domains: readonly DomainOption[]): Row[] => domains.map((domain) => ({ key: domain.domain, domain }));

function Editor({ saved }: { saved: DomainOption[] }) {
  const { t } = useTranslation('Admin');
  // Null: not edited, so they are what the server has.
  const [edited, setEdited] = useState<Row[] | null>(null);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [replace] = accountsApi.useAccountsReplaceDomainsMutation();
  const rows = edited ?? rowsOf(saved);
  const domains = rows.map(({ domain }) => domain);
  const discard = () => {
    setEdited(null);
    setTried(false);
    setProblem(null);
  };
  const save = async () => {
    setTried(true);
    if (!domains.every(({ domain, product }) => domain.trim() && product.trim())) return false;
    const { error } = await replace({ domainsInput: { domains } });
    if (error) setProblem(asProblem(error));
    else discard();
    return !error;
  };
  useDraft({ changed: JSON.stringify(domains) === JSON.stringify(saved) ? [] : [t('Places:domains')], save, discard, saved: t('saved') });
  const change = (key: string, part: Partial<DomainOption>) => setEdited(rows.map((row) => (row.key === key ? { key, domain: { ...row.domain, ...part } } : row)));
  // The server names a row by its place.
  const errorOf = (place: number, name: keyof DomainOption): ReactNode => {
    const path = `domains.${place}.${name}`;
    const message = problem?.args[path];
    if (problem && message) return <FieldProblem problem={problem} path={path} message={message} />;
    return tried && !domains[place]?.[name] ? t('Input:Required') : undefined;
  };
  const placed = rows.some((_, place) => errorOf(place, 'domain') ?? errorOf(place, 'product'));
  return (
    <Stack>
      {rows.length === 0 && <Text c="dimmed">{t('noDomains')}</Text>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table>
            <Table.Tbody>
              {rows.map(({ key, domain }, place) => (
                <DomainRow
                  key={key}
                  domain={domain}
                  errors={{ domain: errorOf(place, 'domain'), product: errorOf(place, 'product') }}
                  onChange={(part) => change(key, part)}
                  onRemove={() => setEdited(rows.filter((row) => row.key !== key))}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {problem && !placed && <ProblemView problem={problem} />}
      <Button w="fit-content" variant="default" onClick={() => setEdited([...rows, { key: randomId(), domain: NEW }])}>
        {t('addDomain')}
      </Button>
    </Stack>
  );
}

interface RowProps {
  domain: DomainOption;
  errors: { domain: ReactNode; product: ReactNode };
  onChange: (part: Partial<DomainOption>) => void;
  onRemove: () => void;
}

function DomainRow({ domain, errors, onChange, onRemove }: RowProps) {
  const { t } = useTranslation('Admin');
  return (
    <Table.Tr>
      <Table.Td>
        <TextInput aria-label={t('domain')} placeholder="ml.example.org" styles={MONOSPACED} error={errors.domain} value={domain.domain} maxLength={253} onChange={({ currentTarget }) => onChange({ domain: currentTarget.value })} />
      </Table.Td>
      <Table.Td w={140}>
        <TextInput aria-label={t('product')} error={errors.product} value={domain.product} maxLength={64} onChange={({ currentTarget }) => onChange({ product: currentTarget.value })} />
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
