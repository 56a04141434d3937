import { Button, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';
import { FieldProblem } from '@/components/feedback/ProblemSummary';

import { type Field, KINDS, type Mount, type MountFault } from './mounts';

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
  const input = (field: Field) => ({ 'aria-label': t(field), error: errorOf(field), readOnly });
  const number = (field: 'sizeInGb' | 'dataImageAccountId' | 'dataImageId', min: number) => ({
    ...input(field), min, allowDecimal: false, hideControls: true, value: mount[field], onChange: (value: number | string) => onChange({ [field]: typeof value === 'number' ? value : '' }),
  });
  return (
    <Group component="fieldset" align="flex-start" gap="xs" bd="none" p={0} m={0} mb={{ base: 'xs', sm: 0 }} aria-label={mount.path || t('new')}>
      <NativeSelect aria-label={t('kindOf')} data={kinds} w={150} disabled={readOnly} value={mount.kind} onChange={({ currentTarget }) => onChange({ kind: KINDS.find((kind) => kind === currentTarget.value) ?? 'volume' })} />
      <TextInput {...input('path')} placeholder="/data" styles={MONO} flex={1} miw={160} maxLength={512} value={mount.path} onChange={({ currentTarget }) => onChange({ path: currentTarget.value })} />
      {mount.kind === 'volume' ? (
        <>
          <NumberInput {...number('sizeInGb', 1)} w={110} rightSection={<span aria-hidden>{t('Unit:short.gigabytes')}</span>} rightSectionPointerEvents="none" />
          <TextInput {...input('storageClass')} placeholder={t('storageClass')} styles={MONO} w={150} value={mount.storageClass} onChange={({ currentTarget }) => onChange({ storageClass: currentTarget.value })} />
        </>
      ) : (
        <>
          <NumberInput {...number('dataImageAccountId', 1)} placeholder={t('dataImageAccountId')} w={130} />
          <NumberInput {...number('dataImageId', 1)} placeholder={t('dataImageId')} w={130} />
          <TextInput {...input('sourcePath')} placeholder={t('sourcePath')} styles={MONO} w={150} value={mount.sourcePath} onChange={({ currentTarget }) => onChange({ sourcePath: currentTarget.value })} />
        </>
      )}
      {!readOnly && (
        <Button variant="subtle" color="red" onClick={onRemove} aria-label={t('removeOf', { name: mount.path || t('new') })}>
          {t('App:delete')}
        </Button>
      )}
    </Group>
  );
}
