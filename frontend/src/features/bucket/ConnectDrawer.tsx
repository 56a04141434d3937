import { ActionIcon, Anchor, Button, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconEye, IconEyeOff, IconTerminal2 } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { S3CredentialsData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Confirm } from '@/components/Confirm';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { Link } from '@/components/Link';

import { AwsCommands } from './AwsCommands';
import classes from './bucket.module.css';

const HIDDEN = '••••••••••••••••';

interface Props {
  account: string;
  folder: string;
  opened: boolean;
  onClose: () => void;
}

/** What programs need to use the bucket. It is asked for when this is opened, and forgotten when it is closed. */
export function ConnectDrawer({ account, folder, opened, onClose }: Props) {
  const { t } = useTranslation('Bucket');
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="lg"
      title={t('connect')}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      {opened && <Credentials account={account} folder={folder} />}
    </Drawer>
  );
}

function Credentials({ account, folder }: { account: string; folder: string }) {
  const { t } = useTranslation('Bucket');
  const { data, error, refetch } = coreApi.useCoreGetS3CredentialsQuery(
    { account },
    { refetchOnMountOrArgChange: true },
  );
  const [commands, setCommands] = useState(false);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={280} />;
  return (
    <Stack>
      <Text c="dimmed">{t('connectHint')}</Text>
      <Facts data={data} />
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconTerminal2 size={16} aria-hidden />}
          onClick={() => setCommands(true)}
        >
          {t('commands')}
        </Button>
        <ReplaceKey account={account} />
      </Group>
      <Anchor component={Link} to="/docs/buckets" size="sm">
        {t('documentation')}
      </Anchor>
      <AwsCommands opened={commands} credentials={data} folder={folder} onClose={() => setCommands(false)} />
    </Stack>
  );
}

function Facts({ data: { s3Url, bucketName, accessKey, secretKey } }: { data: S3CredentialsData }) {
  const { t } = useTranslation('Bucket');
  const [shown, setShown] = useState(false);
  const Icon = shown ? IconEyeOff : IconEye;
  const open = [
    ['endpoint', s3Url],
    ['bucket', bucketName],
    ['accessKey', accessKey],
  ] as const;
  return (
    <dl className={classes.facts}>
      {open.map(([name, value]) => (
        <Fact key={name} name={t(name)} text={value} value={value} />
      ))}
      <Fact name={t('secretKey')} text={shown ? secretKey : HIDDEN} value={secretKey}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t(shown ? 'hideSecret' : 'showSecret')}
          title={t(shown ? 'hideSecret' : 'showSecret')}
          onClick={() => setShown(!shown)}
        >
          <Icon size={16} aria-hidden />
        </ActionIcon>
      </Fact>
    </dl>
  );
}

function Fact({ name, text, value, children }: { name: string; text: string; value: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
      <dd className={classes.buttons}>
        {children}
        <Copy value={value} />
      </dd>
    </div>
  );
}

function ReplaceKey({ account }: { account: string }) {
  const { t } = useTranslation('Bucket');
  const toast = useProblemToast();
  const [replace] = coreApi.useCoreRotateS3CredentialsMutation();
  const [asking, setAsking] = useState(false);
  const confirm = async () => {
    const { error } = await replace({ account });
    setAsking(false);
    if (!toast(t('replaceSecret'), error)) toastDone(t('replaced'));
  };
  return (
    <>
      <Button variant="default" c="red" onClick={() => setAsking(true)}>
        {t('replaceSecret')}
      </Button>
      <Confirm
        opened={asking}
        title={t('replaceTitle')}
        action={t('replaceAction')}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      >
        {t('replaceHint')}
      </Confirm>
    </>
  );
}
