import { Alert, Group, SegmentedControl, Skeleton, Stack, Text, Textarea, Title, Typography } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, type Problem } from '@/api';
import type { ServiceDescriptorData } from '@/api/generated/core.gen';
import { Json } from '@/components/code/Json';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useDraft } from '@/components/settings/drafts';

const Markdown = lazy(() => import('react-markdown'));

interface Where {
  account: string;
  model: string;
}

interface Props<Stored> {
  where: Where;
  stored: Stored;
  readOnly: boolean;
}

/** The service's documentation for people and for programs. */
export function Documentation({ readOnly, ...where }: Where & { readOnly: boolean }) {
  const description = coreApi.useCoreGetSimpleDocQuery(where);
  const descriptor = coreApi.useCoreGetServiceDescriptorQuery(where);
  const problem = asProblem(description.error ?? descriptor.error);
  if (problem && !descriptor.data)
    return <ProblemView problem={problem} again={() => (void description.refetch(), void descriptor.refetch())} />;
  if (description.isLoading || !descriptor.data) return <Skeleton h={320} />;
  return (
    <Stack gap={40}>
      <Description
        readOnly={readOnly}
        where={where}
        stored={typeof description.data === 'string' ? description.data : ''}
      />
      <Descriptor readOnly={readOnly} where={where} stored={descriptor.data} />
    </Stack>
  );
}

function Description({ where, stored, readOnly }: Props<string>) {
  const { t } = useTranslation('Settings');
  const [preview, setPreview] = useState(false);
  const [update] = coreApi.useCoreUpdateSimpleDocMutation();
  const { text, setText, problem } = useText({
    stored,
    name: t('section.description'),
    save: (body) => update({ ...where, body }),
  });
  return (
    <Stack gap="md" component="section">
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('section.description')}
        </Title>
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
        <Textarea
          aria-label={t('section.description')}
          autosize
          minRows={8}
          maxRows={30}
          ff="monospace"
          readOnly={readOnly}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {problem && <ProblemView problem={problem} />}
    </Stack>
  );
}

function Descriptor({ where, stored, readOnly }: Props<ServiceDescriptorData>) {
  const { t } = useTranslation('Settings');
  const written = JSON.stringify(stored, null, 2);
  const [update] = coreApi.useCoreUpdateServiceDescriptorMutation();
  const { text, setText, problem } = useText({
    stored: written,
    name: t('section.descriptor'),
    save: async (body) => {
      const serviceDescriptorData = parsed(body);
      return serviceDescriptorData && update({ ...where, serviceDescriptorData });
    },
  });
  const value = parsed(text);
  const empty = Object.keys(stored.methods).length === 0;
  return (
    <Stack gap="md" component="section">
      <Title order={2} size="h3">
        {t('section.descriptor')}
      </Title>
      <Text size="sm" c="dimmed">
        {t(empty ? 'noDescriptor' : 'descriptorHint')}
      </Text>
      <Json value={text} label={t('section.descriptor')} {...(readOnly ? {} : { onChange: setText })} />
      {!value && <Alert color="yellow">{t('Input:fault.json')}</Alert>}
      {problem && <ProblemView problem={problem} />}
    </Stack>
  );
}

interface TextOptions {
  stored: string;
  name: string;
  /** Null: the text is invalid, as is shown beside it. */
  save: (text: string) => Promise<{ error?: Parameters<typeof asProblem>[0] } | null>;
}

/** A text that the page's bar saves. */
function useText({ stored, name, save }: TextOptions) {
  // Null: not edited, so it is what the server has.
  const [edited, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const text = edited ?? stored;
  const discard = () => {
    setText(null);
    setProblem(null);
  };
  const submit = async () => {
    const result = await save(text);
    if (result) setProblem(asProblem(result.error));
    return result !== null && !result.error;
  };
  useDraft({ changed: text === stored ? [] : [name], save: submit, discard });
  return { text, setText, problem };
}

/** The server validates the shape and names the invalid field. */
function parsed(text: string): ServiceDescriptorData | null {
  try {
    return JSON.parse(text) as ServiceDescriptorData;
  } catch {
    return null;
  }
}
