import { Button, Checkbox, Skeleton, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, type Problem } from '@/api';
import type { DomainOption } from '@/api/generated/accounts.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import type { Column } from '@/components/list/columns';
import { List, type ListQuery } from '@/components/list/List';
import { RowAction } from '@/components/list/RowAction';
import { useDraft } from '@/components/settings/drafts';
import { SaveScope } from '@/components/settings/SaveScope';
import { randomId } from '@/lib/randomId';

const NEW: DomainOption = { domain: '', product: 'mlp', internalUserUiAvailable: false, ownerOnly: false };

/** Hosts of this platform with their audiences. All are replaced together. */
export function Domains() {
  const query = accountsApi.useAccountsListDomainsQuery();
  const { data, error, refetch } = query;
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={160} />;
  return (
    <SaveScope>
      <Editor query={query} saved={data.domains} />
    </SaveScope>
  );
}

interface Row {
  key: string;
  domain: DomainOption;
}

const rowsOf = (domains: readonly DomainOption[]): Row[] => domains.map((domain) => ({ key: domain.domain, domain }));

function Editor({ query, saved }: { query: ListQuery; saved: DomainOption[] }) {
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
  useDraft({
    changed: JSON.stringify(domains) === JSON.stringify(saved) ? [] : [t('Places:domains')],
    save,
    discard,
    saved: t('saved'),
  });
  const change = (key: string, part: Partial<DomainOption>) =>
    setEdited(rows.map((row) => (row.key === key ? { key, domain: { ...row.domain, ...part } } : row)));
  // The server names a row by its place.
  const errorOf = (place: number, name: keyof DomainOption): ReactNode => {
    const path = `domains.${place}.${name}`;
    const message = problem?.args[path];
    if (problem && message) return <FieldProblem problem={problem} path={path} message={message} />;
    return tried && !domains[place]?.[name] ? t('Input:Required') : undefined;
  };
  const placed = rows.some((_, place) => errorOf(place, 'domain') ?? errorOf(place, 'product'));
  const columns = useColumns({
    errorOf: (row, name) => errorOf(rows.indexOf(row), name),
    change: ({ key }, part) => change(key, part),
    remove: ({ key }) => setEdited(rows.filter((row) => row.key !== key)),
  });
  return (
    <Stack>
      {rows.length === 0 && <Text c="dimmed">{t('noDomains')}</Text>}
      {rows.length > 0 && (
        <List
          label={t('Places:domains')}
          query={query}
          rows={rows}
          columns={columns}
          rowKey={({ key }) => key}
          rowName={({ domain: { domain } }) => domain}
          empty={{ title: t('noDomains'), hint: null }}
        />
      )}
      {problem && !placed && <ProblemView problem={problem} />}
      <Button w="fit-content" variant="default" onClick={() => setEdited([...rows, { key: randomId(), domain: NEW }])}>
        {t('addDomain')}
      </Button>
    </Stack>
  );
}

interface Editing {
  errorOf: (row: Row, name: keyof DomainOption) => ReactNode;
  change: (row: Row, part: Partial<DomainOption>) => void;
  remove: (row: Row) => void;
}

function useColumns({ errorOf, change, remove }: Editing): Column<Row>[] {
  const { t } = useTranslation('Admin');
  const text =
    (name: 'domain' | 'product', most: number, more: Partial<TextInputProps> = {}): Column<Row>['cell'] =>
    (row) => (
      <TextInput
        aria-label={t(name)}
        error={errorOf(row, name)}
        value={row.domain[name]}
        maxLength={most}
        onChange={({ currentTarget }) => change(row, { [name]: currentTarget.value })}
        {...more}
      />
    );
  const choice =
    (name: 'internalUserUiAvailable' | 'ownerOnly', label: string): Column<Row>['cell'] =>
    (row) => (
      <Checkbox
        aria-label={label}
        checked={row.domain[name]}
        onChange={({ currentTarget }) => change(row, { [name]: currentTarget.checked })}
      />
    );
  return [
    {
      name: 'domain',
      label: t('domain'),
      cell: text('domain', 253, { placeholder: 'ml.example.org', styles: MONOSPACED }),
    },
    { name: 'product', label: t('product'), width: 160, cell: text('product', 64) },
    {
      name: 'internalUi',
      label: t('internalUi'),
      width: 160,
      cell: choice('internalUserUiAvailable', t('internalUi')),
    },
    { name: 'ownerOnly', label: t('ownerOnly'), width: 140, cell: choice('ownerOnly', t('ownerOnly')) },
    {
      name: 'actions',
      label: t('domainActions'),
      width: 60,
      actions: true,
      cell: (row) => (
        <RowAction
          label={t('removeDomain', { domain: row.domain.domain })}
          Icon={IconTrash}
          danger
          onClick={() => remove(row)}
        />
      ),
    },
  ];
}
