import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text, Textarea, Title, Typography } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ServiceDescriptorData } from '@/api/generated/core.gen';
import { Json } from '@/components/code/Json';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';

const Markdown = lazy(() => import('react-markdown'));

interface Where {
  account: string;
  model: string;
}

/** The service's documentation for people and for programs. */
export function Documentation(where: Where) {
  const description = coreApi.useCoreGetSimpleDocQuery(where);
  const descriptor = coreApi.useCoreGetServiceDescriptorQuery(where);
  const problem = asProblem(description.error ?? descriptor.error);
  if (problem && !descriptor.data) return <ProblemView problem={problem} again={() => (void description.refetch(), void descriptor.refetch())} />;
  if (description.isLoading || !descriptor.data) return <Skeleton h={320} />;
  return (
    <Stack gap={40}>
      <Description where={where} stored={typeof description.data === 'string' ? description.data : ''} />
      <Descriptor where={where} stored={descriptor.data} />
    </Stack>
  );
}

function Description({ where, stored }: { where: Where; stored: string }) {
  const { t } = useTranslation('Settings');
  const [text, setText] = useState(stored);
  const [preview, setPreview] = useState(false);
  const [save, { isLoading }] = coreApi.useCoreUpdateSimpleDocMutation();
  const refused = useProblemToast();
  const submit = async () => {
    const { error } = await save({ ...where, body: text });
    if (!refused(t('failed'), error)) toastDone(t('saved'));
  };
  return (
    <Stack gap="md" component="section" maw={860}>
      <Group justify="space-between">
        <Title order={3}>{t('section.description')}</Title>
        <SegmentedControl
          size="xs"
          aria-label={t('mode')}
          value={preview ? 'preview' : 'text'}
          onChange={(value) => setPreview(value === 'preview')}
          data={[
            { value: 'text', label: 'Markdown' },
            { value: 'preview', label: t('preview') },
          ]}
        />
      </Group>
      {preview ? (
        <Typography>
          <Suspense fallback={<Skeleton h={160} />}>
            <Markdown>{text}</Markdown>
          </Suspense>
        </Typography>
      ) : (
        <Textarea aria-label={t('section.description')} autosize minRows={8} maxRows={30} ff="monospace" value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      )}
      <Button w="fit-content" loading={isLoading} disabled={text === stored} onClick={() => void submit()}>
        {t('App:save')}
      </Button>
    </Stack>
  );
}

function Descriptor({ where, stored }: { where: Where; stored: ServiceDescriptorData }) {
  const { t } = useTranslation('Settings');
  const written = JSON.stringify(stored, null, 2);
  const [text, setText] = useState(written);
  const [save, { isLoading }] = coreApi.useCoreUpdateServiceDescriptorMutation();
  const refused = useProblemToast();
  const value = parsed(text);
  const submit = async () => {
    if (!value) return;
    const { error } = await save({ ...where, serviceDescriptorData: value });
    if (!refused(t('failed'), error)) toastDone(t('saved'));
  };
  const empty = Object.keys(stored.methods).length === 0;
  return (
    <Stack gap="md" component="section" maw={860}>
      <Title order={3}>{t('section.descriptor')}</Title>
      <Text size="sm" c="dimmed">
        {t(empty ? 'noDescriptor' : 'descriptorHint')}
      </Text>
      <Json value={text} label={t('section.descriptor')} onChange={setText} />
      {!value && <Alert color="yellow">{t('fault.json')}</Alert>}
      <Button w="fit-content" loading={isLoading} disabled={text === written || !value} onClick={() => void submit()}>
        {t('App:save')}
      </Button>
    </Stack>
  );
}

/** The server validates the shape and names the invalid field. */
function parsed(text: string): ServiceDescriptorData | null {
  try {
    return JSON.parse(text) as ServiceDescriptorData;
  } catch {
    return null;
  }
}
