import { Alert, Anchor, Button, Code, Group, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, type Problem } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Link } from '@/components/Link';
import { RowsEditor } from '@/components/rows/RowsEditor';
import { useRawJson } from '@/components/rows/useRawJson';
import { useDraft } from '@/components/settings/drafts';

import { faultOf, isHidden, isReadable, readRows, refusedOf, type Row, rowsOf, sentOf, writeRows } from './rows';

interface Props {
  account: string;
  model: ModelInfoData;
  readOnly?: boolean;
}

const written = (rows: readonly Row[]) => JSON.stringify(writeRows(rows));

/** Variables of instances: readable values, and secrets that nobody can read. */
export function Environment({ account, model, readOnly = false }: Props) {
  const { t } = useTranslation('Environment');
  const { data: secrets = [] } = coreApi.useCoreListSecretsQuery({ account });
  const [update] = coreApi.useCoreUpdateModelMutation();
  const [base, setBase] = useState(() => rowsOf(model.env, model.secretEnv));
  const [rows, setRows] = useState(base);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const raw = useRawJson({ rows, onRows: setRows, write: writeRows, read: readRows });
  const names = [
    ...new Set(
      secrets.filter(({ modelId }) => modelId === null || modelId === model.id.modelId).map(({ name }) => name),
    ),
  ];
  const refused = problem ? refusedOf(problem.args, rows) : { rows: {}, rest: false };
  const errorOf = (path: string | undefined) =>
    problem && path !== undefined && <FieldProblem problem={problem} path={path} message={problem.args[path] ?? ''} />;
  const change = (id: number, values: Partial<Row>) => {
    setProblem(null);
    setRows(rows.map((row) => (row.id === id ? { ...row, ...values } : row)));
  };
  const begin = (some: Row[]) => {
    setBase(some);
    setRows(some);
    raw.reset(some);
    setTried(false);
    setProblem(null);
  };
  const save = async () => {
    setTried(true);
    setProblem(null);
    if (raw.broken || rows.some((row) => faultOf(row, rows) !== null)) {
      raw.show(false);
      return false;
    }
    const result = await update({
      account,
      model: model.modelName,
      modelCreateUpdateData: { modelName: model.modelName, ...sentOf(rows) },
    });
    if (!result.error) begin(rowsOf(result.data.env, result.data.secretEnv));
    else raw.show(false);
    setProblem(asProblem(result.error));
    return !result.error;
  };
  useDraft({
    changed: written(rows) !== written(base) || raw.broken ? [t('title')] : [],
    save,
    discard: () => begin(base),
    saved: t('saved'),
  });
  return (
    <RowsEditor
      title={t('title')}
      hint={
        <>
          {t('hint')}{' '}
          <Anchor component={Link} to="/workspace/secrets" inherit>
            {t('toSecrets')}
          </Anchor>
        </>
      }
      none={t('none')}
      add={t('add')}
      onAdd={() =>
        setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, name: '', kind: 'value', value: '' }])
      }
      raw={raw}
      shape={t('shape')}
      empty={rows.length === 0 && isReadable(model.env)}
      readOnly={readOnly}
    >
      {!isReadable(model.env) && (
        <Alert color="yellow" title={t('unreadable')}>
          {t('unreadableHint')}
          <Code block mt="xs">
            {model.env}
          </Code>
        </Alert>
      )}
      {rows.map((row) => (
        <Variable
          key={row.id}
          row={row}
          rows={rows}
          secrets={names}
          tried={tried}
          refused={errorOf(refused.rows[row.id])}
          readOnly={readOnly}
          onChange={(values) => change(row.id, values)}
          onRemove={() => setRows(rows.filter(({ id }) => id !== row.id))}
        />
      ))}
      {problem && (refused.rest || Object.keys(refused.rows).length === 0) && <ProblemView problem={problem} />}
    </RowsEditor>
  );
}

interface VariableProps {
  row: Row;
  rows: readonly Row[];
  secrets: string[];
  /** It was tried to save the rows: errors of empty names are shown too. */
  tried: boolean;
  /** The server's error. */
  refused: ReactNode;
  readOnly: boolean;
  onChange: (values: Partial<Row>) => void;
  onRemove: () => void;
}

function Variable({ row, rows, secrets, tried, refused, readOnly, onChange, onRemove }: VariableProps) {
  const { t } = useTranslation('Environment');
  const [others, setOthers] = useState(''); // what was given as the other kind, for who comes back to it
  const fault = row.name || tried ? faultOf(row, rows) : null;
  const become = (kind: Row['kind']) => {
    onChange({ kind, value: others });
    setOthers(row.value);
  };
  const kinds = (['value', 'secret'] as const).map((value) => ({ value, label: t(`kind.${value}`) }));
  return (
    <Group
      component="fieldset"
      align="flex-start"
      gap="xs"
      bd="none"
      p={0}
      m={0}
      mb={{ base: 'xs', sm: 0 }}
      aria-label={row.name || t('new')}
    >
      <TextInput
        aria-label={t('name')}
        placeholder="NAME"
        styles={MONOSPACED}
        maxLength={128}
        value={row.name}
        readOnly={readOnly}
        error={refused || (fault && fault !== 'secret' && t(`fault.${fault}`))}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <NativeSelect
        aria-label={t('kindOf')}
        data={kinds}
        w={130}
        disabled={readOnly}
        value={row.kind}
        onChange={({ currentTarget }) => become(currentTarget.value === 'secret' ? 'secret' : 'value')}
      />
      {row.kind === 'secret' ? (
        <NativeSelect
          aria-label={t('secret')}
          styles={MONOSPACED}
          data={[{ value: '', label: t(secrets.length ? 'choose' : 'noSecrets') }, ...secrets]}
          flex={1}
          miw={180}
          disabled={readOnly}
          error={tried && fault === 'secret'}
          value={row.value}
          onChange={({ currentTarget }) => onChange({ value: currentTarget.value })}
        />
      ) : (
        <TextInput
          aria-label={t('value')}
          readOnly={readOnly}
          styles={MONOSPACED}
          flex={1}
          miw={180}
          value={row.value}
          description={isHidden(row) ? t('hidden') : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          onChange={({ currentTarget }) => onChange({ value: currentTarget.value })}
        />
      )}
      {!readOnly && (
        <Button variant="subtle" color="red" onClick={onRemove} aria-label={t('removeOf', { name: row.name })}>
          {t('App:delete')}
        </Button>
      )}
    </Group>
  );
}
