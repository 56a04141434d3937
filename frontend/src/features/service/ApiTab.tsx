import { Alert, Box, Group, SegmentedControl, Select, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { FieldTable } from '@/components/code/FieldTable';
import { exampleOf, fieldsIn } from '@/lib/predict/schema';
import { useSession } from '@/lib/session';
import { languagesOf, snippet, type SnippetLanguage } from '@/lib/predict/snippets';
import { examplesOf } from '@/lib/taskTypes';
import { useSchemas } from '@/lib/predict/useSchemas';

import { Downloads } from './Downloads';
import { KEY_VARIABLE, keyChoices } from './keyChoice';

const NAMES: Record<SnippetLanguage, string> = {
  curl: 'curl', python: 'Python', javascript: 'JavaScript', 'openai-python': 'OpenAI · Python', 'openai-javascript': 'OpenAI · JavaScript',
};

/** Code that calls the service, with the selected key. */
export function ApiTab({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Service');
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const [key, setKey] = useState<string | null>(null);
  const session = useSession();
  const schemas = useSchemas(account, model.modelName);
  const data = model.taskType === 'custom' && schemas?.data ? exampleOf(schemas.data) : examplesOf(model.taskType)[0];
  const facts = { origin: window.location.origin, account, model: model.modelName, key: key ?? KEY_VARIABLE, data };
  return (
    <Stack gap="md" maw={860}>
      <Group justify="space-between" align="flex-end">
        <Box maw="100%" style={{ overflowX: 'auto' }}>
          <SegmentedControl aria-label={t('language')} miw="max-content" value={language} onChange={setLanguage} data={languagesOf(model.taskType).map((value) => ({ value, label: NAMES[value] }))} />
        </Box>
        {session.state === 'signed-in' && session.accountId !== null && <KeySelect account={String(session.accountId)} model={model} chosen={key} onChoose={setKey} />}
      </Group>
      <Downloads account={account} model={model} />
      <CodeBlock code={snippet(language, facts, model.taskType)} label={NAMES[language]} />
      <Text size="sm" c="dimmed">
        {t(key ? 'keyMasked' : 'apiHint')}
      </Text>
      <Alert variant="light" title={t('needKey')}>
        {session.state === 'signed-in' ? <Link to="/workspace/api-keys">{t('makeKey')}</Link> : <a href="/c/register">{t('signUp')}</a>}
      </Alert>
      {schemas?.data && (
        <>
          <Title order={2}>{t('request')}</Title>
          <FieldTable fields={fieldsIn(schemas.data)} />
        </>
      )}
      {schemas?.config && (
        <>
          <Title order={2}>{t('config')}</Title>
          <FieldTable fields={fieldsIn(schemas.config)} />
        </>
      )}
    </Stack>
  );
}

interface KeySelectProps {
  account: string;
  model: ModelInfoData;
  chosen: string | null;
  onChoose: (key: string | null) => void;
}

function KeySelect({ account, model, chosen, onChoose }: KeySelectProps) {
  const { t } = useTranslation('Service');
  const { data = [] } = coreApi.useCoreListAccessTokensQuery({ account });
  if (data.length === 0) return null;
  const options = keyChoices(data, model.id).map(({ value, label, usable }) => ({ value, label: usable ? label : t('keyUnusable', { name: label }), disabled: !usable }));
  return <Select size="xs" w={240} aria-label={t('key')} placeholder={KEY_VARIABLE} data={options} value={chosen} onChange={onChoose} clearable clearButtonProps={{ 'aria-label': KEY_VARIABLE }} />;
}
