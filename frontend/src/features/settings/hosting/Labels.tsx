import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { CustomControl, CustomField } from '@/components/settings/fields';
import { ROW } from '@/components/settings/rows';

/** A label as typed. */
type Label = readonly [name: string, value: string];

const PATTERN = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;

/** Labels that a server must have, as rows of name and value. */
export const LABELS: CustomField = {
  read: (stored) => Object.entries((stored ?? {}) as Record<string, string>),
  write: (edited) => Object.fromEntries(edited as Label[]),
  isFaulty: (edited) => (edited as Label[]).some(([name], index) => faultOf(edited as Label[], name, index)),
  Control: Labels,
};

function faultOf(labels: readonly Label[], name: string, index: number): 'labelName' | 'labelTwice' | null {
  if (!PATTERN.test(name)) return 'labelName';
  return labels.findIndex(([other]) => other === name) < index ? 'labelTwice' : null;
}

function Labels({ value, error, readOnly, onChange }: CustomControl) {
  const { t } = useTranslation('Settings');
  const labels = value as Label[];
  const change = (index: number, label: Label) => onChange(labels.map((other, at) => (at === index ? label : other)));
  return (
    <Input.Wrapper
      classNames={ROW}
      labelElement="div"
      label={t('field.resourceLimits.serverLabels')}
      description={t('hint.serverLabels')}
      error={error}
    >
      <Stack gap="xs" className={ROW.wrapper}>
        {labels.map(([name, held], index) => {
          const fault = name === '' ? null : faultOf(labels, name, index);
          return (
            // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that tells them apart
            <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                flex={1}
                maxLength={63}
                disabled={readOnly}
                aria-label={t('labelName')}
                placeholder="zone"
                value={name}
                error={fault && t(`fault.${fault}`)}
                onChange={({ currentTarget }) => change(index, [currentTarget.value, held])}
              />
              <TextInput
                flex={1}
                maxLength={63}
                disabled={readOnly}
                aria-label={t('labelValue')}
                placeholder="west"
                value={held}
                onChange={({ currentTarget }) => change(index, [name, currentTarget.value])}
              />
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label={t('removeLabel', { name })}
                  onClick={() => onChange(labels.filter((_, at) => at !== index))}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          );
        })}
        {!readOnly && (
          <Button
            w="fit-content"
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => onChange([...labels, ['', '']])}
          >
            {t('addLabel')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
