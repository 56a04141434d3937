import { ActionIcon, Button, Group, Skeleton, Stack, Table, Text, Textarea } from '@mantine/core';
import { IconArrowBackUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { DatasetInfoData } from '@/api/generated/core.gen';
import { Pager } from '@/components/Pager';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useRefusal } from '@/components/feedback/useRefusal';

import { changeOf, countOf, edited, editedAdded, NO_DRAFTS, toggledDeletion, withoutAdded, withRow } from './rowDrafts';

const PAGE_SIZE = 25;
/** Widths in pixels: of the row's number with its button, and the least of a column, in which words stay whole. */
const NARROW = 124;
const COLUMN = 180;
/** The columns that the formats define. All others have the names that the owner gave them. */
const DEFINED = ['text', 'label', 'question', 'answer', 'original', 'replacement'] as const;

interface Props {
  account: string;
  dataset: DatasetInfoData;
}

/** The rows in pages. Changes on all pages are saved together, as one new content. */
export function RowsEditor({ account, dataset }: Props) {
  const { t } = useTranslation('Datasets');
  const nameOf = useColumnNames();
  const [page, setPage] = useState(1);
  const [drafts, setDrafts] = useState(NO_DRAFTS);
  const refusal = useRefusal();
  const { datasetId } = dataset.id;
  const { data, error, refetch } = coreApi.useCoreGetDatasetRowsQuery({
    account,
    datasetId,
    first: (page - 1) * PAGE_SIZE,
    size: PAGE_SIZE,
  });
  const [change, saving] = coreApi.useCoreChangeDatasetRowsMutation();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={240} />;
  const count = countOf(drafts);
  const pages = Math.max(1, Math.ceil(data.total / PAGE_SIZE));
  const save = async () => {
    refusal.clear();
    const result = await change({ account, datasetId, datasetRowsChangeData: changeOf(drafts, dataset.version) });
    if (refusal.show(result.error)) return;
    setDrafts(NO_DRAFTS);
    toastDone(t('rowsSaved'));
  };
  return (
    <Stack>
      <FormBanner refusal={refusal} />
      <Table.ScrollContainer minWidth={NARROW + data.columns.length * COLUMN}>
        <Table withTableBorder verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={72}>{t('row')}</Table.Th>
              {data.columns.map((name) => (
                <Table.Th key={name}>{nameOf(name)}</Table.Th>
              ))}
              <Table.Th w={52} aria-label={t('actions')} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.rows.map((stored, place) => {
              const row = data.first + place;
              const draft = drafts.changed[row];
              return (
                <EditedRow
                  key={row}
                  number={row + 1}
                  columns={data.columns}
                  values={draft ?? stored}
                  changed={draft !== undefined}
                  doomed={draft === null}
                  onCell={(column, text) => setDrafts(edited(drafts, row, stored, column, text))}
                  onDelete={() => setDrafts(toggledDeletion(drafts, row))}
                />
              );
            })}
            {page === pages &&
              drafts.added.map((values, place) => (
                // eslint-disable-next-line react/no-array-index-key -- rows have no other identity before they are saved
                <EditedRow
                  key={`new ${place}`}
                  number={data.total + place + 1}
                  columns={data.columns}
                  values={values}
                  changed
                  doomed={false}
                  onCell={(column, text) => setDrafts(editedAdded(drafts, place, column, text))}
                  onDelete={() => setDrafts(withoutAdded(drafts, place))}
                />
              ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {data.total === 0 && drafts.added.length === 0 && <Text c="dimmed">{t('noRows')}</Text>}
      <Pager page={page} pages={pages} onPage={setPage} />
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            setPage(pages);
            setDrafts(withRow(drafts, data.columns.length));
          }}
        >
          {t('addRow')}
        </Button>
        <Button onClick={() => void save()} disabled={count === 0} loading={saving.isLoading}>
          {t('saveRows')}
        </Button>
        {count > 0 && (
          <Button variant="subtle" onClick={() => setDrafts(NO_DRAFTS)}>
            {t('discard')}
          </Button>
        )}
        <Text size="sm" c="dimmed" component="output">
          {count > 0 ? t('unsaved', { count }) : t('total', { count: data.total })}
        </Text>
      </Group>
    </Stack>
  );
}

function useColumnNames() {
  const { t } = useTranslation('Datasets');
  return (name: string) => {
    const defined = DEFINED.find((known) => known === name);
    return defined ? t(`column.${defined}`) : name;
  };
}

interface RowProps {
  number: number;
  columns: readonly string[];
  values: readonly string[];
  changed: boolean;
  doomed: boolean;
  onCell: (column: number, text: string) => void;
  onDelete: () => void;
}

function EditedRow({ number, columns, values, changed, doomed, onCell, onDelete }: RowProps) {
  const { t } = useTranslation('Datasets');
  const nameOf = useColumnNames();
  const Icon = doomed ? IconArrowBackUp : IconTrash;
  return (
    <Table.Tr
      bg={changed ? 'var(--mantine-color-default-hover)' : undefined}
      style={doomed ? { textDecoration: 'line-through' } : undefined}
    >
      <Table.Td>{number}</Table.Td>
      {columns.map((name, column) => (
        <Table.Td key={name}>
          <Textarea
            variant="unstyled"
            autosize
            minRows={1}
            maxRows={8}
            disabled={doomed}
            aria-label={t('cell', { number, name: nameOf(name) })}
            value={values[column] ?? ''}
            onChange={({ currentTarget }) => onCell(column, currentTarget.value)}
          />
        </Table.Td>
      ))}
      <Table.Td>
        <ActionIcon
          variant="subtle"
          color={doomed ? undefined : 'red'}
          aria-label={t(doomed ? 'keepRow' : 'deleteRow', { number })}
          onClick={onDelete}
        >
          <Icon size={16} aria-hidden />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}
