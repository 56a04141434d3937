import { ActionIcon, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';
import { MONOSPACED } from '@/components/code/monospaced';
import classes from '@/components/settings/rows.module.css';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { DataImageSelect } from '@/features/dataImages/DataImageSelect';
import { useDataImage } from '@/features/dataImages/useDataImage';

import layout from './MountRow.module.css';
import { dataImageOf, type Field, KINDS, type knownOf, type Mount, type MountFault } from './mounts';

/** Of small print above the control: a filled row would not say what its numbers are. */
const labelled = (label: string, className = '') => ({ label, className, classNames: { label: layout.label ?? '' } });

interface Props {
  account: string;
  mount: Mount;
  /** What the server says of the row's data image where it is mounted already. */
  known: ReturnType<typeof knownOf>;
  faults: Partial<Record<Field, MountFault>>;
  /** The server's names of the fields that it refused, and its refusal. */
  refused: Partial<Record<Field, string>>;
  problem: Problem | null;
  readOnly: boolean;
  onChange: (values: Partial<Mount>) => void;
  onRemove: () => void;
}

export function MountRow({ account, mount, known, faults, refused, problem, readOnly, onChange, onRemove }: Props) {
  const { t } = useTranslation('Mounts');
  const errorOf = (field: Field) => {
    const path = refused[field];
    if (path && problem) return <FieldProblem problem={problem} path={path} message={problem.args[path] ?? ''} />;
    return faults[field] && t(`fault.${faults[field]}`);
  };
  const kinds = KINDS.map((value) => ({ value, label: t(`kind.${value}`) }));
  const input = (field: Field, className?: string) => ({
    ...labelled(t(field), className),
    error: errorOf(field),
    readOnly,
  });
  return (
    <fieldset className={layout.mount} aria-label={mount.path || t('new')}>
      <div className={layout.fields}>
        <NativeSelect
          {...labelled(t('kindOf'), layout.line)}
          data={kinds}
          disabled={readOnly}
          value={mount.kind}
          onChange={({ currentTarget }) =>
            onChange({ kind: KINDS.find((kind) => kind === currentTarget.value) ?? 'volume' })
          }
        />
        <TextInput
          {...input('path', layout.line)}
          placeholder="/data"
          styles={MONOSPACED}
          maxLength={512}
          value={mount.path}
          onChange={({ currentTarget }) => onChange({ path: currentTarget.value })}
        />
        {mount.kind === 'volume' ? (
          <>
            <NumberInput
              {...input('sizeInGb')}
              min={1}
              allowDecimal={false}
              hideControls
              value={mount.sizeInGb}
              onChange={(value) => onChange({ sizeInGb: typeof value === 'number' ? value : '' })}
              rightSection={
                <span className={classes.unit} aria-hidden>
                  {t('Unit:short.gigabytes')}
                </span>
              }
              rightSectionPointerEvents="none"
            />
            <TextInput
              {...input('storageClass')}
              styles={MONOSPACED}
              value={mount.storageClass}
              onChange={({ currentTarget }) => onChange({ storageClass: currentTarget.value })}
            />
          </>
        ) : (
          <DataImage
            account={account}
            mount={mount}
            known={known}
            input={input('dataImageId', layout.line)}
            onChange={onChange}
          />
        )}
        {!readOnly && (
          <ActionIcon
            className={layout.remove ?? ''}
            variant="subtle"
            color="gray"
            size={36}
            onClick={onRemove}
            aria-label={t('removeOf', { name: mount.path || t('new') })}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </fieldset>
  );
}

interface DataImageProps extends Pick<Props, 'account' | 'mount' | 'known' | 'onChange'> {
  input: ReturnType<typeof labelled> & { error: ReactNode; readOnly: boolean };
}

function DataImage({ account, mount, known, input, onChange }: DataImageProps) {
  const { t } = useTranslation('Mounts');
  const id = dataImageOf(mount);
  const read = useDataImage(id);
  const chosen =
    read ??
    (id && known?.dataImageName
      ? { id, name: known.dataImageName, imageAccountName: null, sourcePath: known.sourcePath ?? '' }
      : null);
  return (
    <>
      <DataImageSelect
        {...input}
        account={account}
        id={id}
        chosen={chosen}
        onChoose={({ accountId, imageId }) => onChange({ dataImageAccountId: accountId, dataImageId: imageId })}
      />
      <TextInput
        {...labelled(t('sourcePath'), layout.half)}
        readOnly
        variant="filled"
        placeholder="–"
        styles={MONOSPACED}
        value={chosen?.sourcePath ?? ''}
      />
    </>
  );
}
