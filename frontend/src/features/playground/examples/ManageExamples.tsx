import { ActionIcon, Badge, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ExampleData, ExampleUpdateData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useRefusal } from '@/components/feedback/useRefusal';

import type { Tried } from '@/features/playground/tried';

interface Props {
  tried: Tried;
  examples: readonly ExampleData[];
}

/** Renames, orders and deletes the service's examples. */
export function ManageExamples({ tried, examples }: Props) {
  const { t } = useTranslation('Examples');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('manage')} title={t('manage')} onClick={open}>
        <IconPencil size={16} aria-hidden />
      </ActionIcon>
      <Modal
        opened={opened}
        onClose={close}
        title={t('manage')}
        size="lg"
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t('manageHint')}
          </Text>
          {examples.map((example, index) => (
            <Row
              key={example.id.exampleId}
              tried={tried}
              example={example}
              index={index}
              last={index === examples.length - 1}
            />
          ))}
        </Stack>
      </Modal>
    </>
  );
}

function Row({
  tried: { account, model },
  example,
  index,
  last,
}: {
  tried: Tried;
  example: ExampleData;
  index: number;
  last: boolean;
}) {
  const { t } = useTranslation('Examples');
  const [name, setName] = useState(example.name);
  const [update, updating] = coreApi.useCoreUpdateExampleMutation();
  const [remove, removing] = coreApi.useCoreDeleteExampleMutation();
  const refusal = useRefusal();
  const where = { account, model, exampleId: example.id.exampleId };
  const busy = updating.isLoading || removing.isLoading;
  const change = async (exampleUpdateData: ExampleUpdateData) => {
    refusal.clear();
    const { error } = await update({ ...where, exampleUpdateData });
    if (refusal.show(error)) setName(example.name);
  };
  const rename = () => {
    const wanted = name.trim();
    if (wanted && wanted !== example.name) void change({ name: wanted });
    else setName(example.name);
  };
  const drop = async () => {
    refusal.clear();
    refusal.show((await remove(where)).error);
  };
  return (
    <Stack gap="xs">
      <FormBanner refusal={refusal} />
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          miw={0}
          size="xs"
          aria-label={t('nameOf', { name: example.name })}
          maxLength={80}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          onBlur={rename}
        />
        {example.answer !== null && (
          <Badge variant="default" fw={400} visibleFrom="xs">
            {t('withAnswerShort')}
          </Badge>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('up', { name: example.name })}
          disabled={busy || index === 0}
          onClick={() => void change({ position: index - 1 })}
        >
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('down', { name: example.name })}
          disabled={busy || last}
          onClick={() => void change({ position: index + 1 })}
        >
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('delete', { name: example.name })}
          disabled={busy}
          onClick={() => void drop()}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Stack>
  );
}
