import { ActionIcon, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';
import classes from '@/components/settings/rows.module.css';
import { FieldProblem } from '@/components/feedback/ProblemSummary';

import { type Field, KINDS, type Mount, type MountFault } from './mounts';

/** Of small print above the control: a filled row would not say what its numbers are. */
const labelled = (label: string) => ({ label, labelProps: { fz: 12, fw: 400, c: 'dimmed' } });
const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

interface Props {
  mount: Mount;
  faults: Partial<Record<Field, MountFault>>;
  /** The server's names of the fields that it refused, and its refusal. */
  refused: Partial<Record<Field, string>>;
  problem: Problem | null;
  readOnly: boolean;
  onChange: (values: Partial<Mount>) => void;
  onRemove: () => void;
}

export function MountRow({ mount, faults, refused, problem, readOnly, onChange, onRemove }: Props) {
  const { t } = useTranslation('Mounts');
  const errorOf = (field: Field) => {
    const path = refused[field];
    if (path && problem) return <FieldProblem problem={problem} path={path} message={problem.args[path] ?? ''} />;
    return faults[field] && t(`fault.${faults[field]}`);
  };
  const kinds = KINDS.map((value) => ({ value, label: t(`kind.${value}`) }));
  const input = (field: Field) => ({ ...labelled(t(field)), error: errorOf(field), readOnly });
  const number = (field: 'sizeInGb' | 'dataImageAccountId' | 'dataImageId', min: number) => ({
    ...input(field), min, allowDecimal: false, hideControls: true, value: mount[field], onChange: (value: number | string) => onChange({ [field]: typeof value === 'number' ? value : '' }),
  });
  return (
    <Group component="fieldset" align="flex-start" gap="xs" wrap="nowrap" bd="none" p={0} m={0} mb={{ base: 'xs', sm: 0 }} aria-label={mount.path || t('new')}>
      <Group align="flex-start" gap="xs" flex={1} miw={0}>
        <NativeSelect {...labelled(t('kindOf'))} data={kinds} w={150} disabled={readOnly} value={mount.kind} onChange={({ currentTarget }) => onChange({ kind: KINDS.find((kind) => kind === currentTarget.value) ?? 'volume' })} />
        <TextInput {...input('path')} placeholder="/data" styles={MONO} flex={1} miw={160} maxLength={512} value={mount.path} onChange={({ currentTarget }) => onChange({ path: currentTarget.value })} />
        {mount.kind === 'volume' ? (
          <>
            <NumberInput {...number('sizeInGb', 1)} w={110} rightSection={<span className={classes.unit} aria-hidden>{t('Unit:short.gigabytes')}</span>} rightSectionPointerEvents="none" />
            <TextInput {...input('storageClass')} styles={MONO} w={150} value={mount.storageClass} onChange={({ currentTarget }) => onChange({ storageClass: currentTarget.value })} />
          </>
        ) : (
          <>
            <NumberInput {...number('dataImageAccountId', 1)} w={130} />
            <NumberInput {...number('dataImageId', 1)} w={130} />
            <TextInput {...input('sourcePath')} placeholder="/" styles={MONO} w={150} value={mount.sourcePath} onChange={({ currentTarget }) => onChange({ sourcePath: currentTarget.value })} />
          </>
        )}
      </Group>
      {!readOnly && (
        <ActionIcon variant="subtle" color="gray" size="lg" mt={22} onClick={onRemove} aria-label={t('removeOf', { name: mount.path || t('new') })}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}
