import { Modal, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { S3CredentialsData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';

import { awsCommands, COMMANDS } from './awsCommands';

interface Props {
  credentials: S3CredentialsData;
  folder: string;
  opened: boolean;
  onClose: () => void;
}

/** How aws-cli uses the bucket. */
export function AwsCommands({ credentials, folder, opened, onClose }: Props) {
  const { t } = useTranslation('Bucket');
  const [secret, setSecret] = useState(false);
  const commands = awsCommands({
    ...credentials,
    secretKey: secret ? credentials.secretKey : t('secretPlace'),
    folder,
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="xl"
      title={t('commands')}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      <Stack>
        <Text c="dimmed">{t('commandsHint')}</Text>
        <Switch
          label={t('withSecret')}
          checked={secret}
          onChange={({ currentTarget }) => setSecret(currentTarget.checked)}
        />
        {COMMANDS.map((name) => (
          <section key={name}>
            <Title order={3} size="sm" fw={500} mb={4}>
              {t(`command.${name}`)}
            </Title>
            <CodeBlock code={commands[name]} label={t(`command.${name}`)} />
          </section>
        ))}
      </Stack>
    </Modal>
  );
}
