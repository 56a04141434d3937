import { Box, Group, SegmentedControl, Skeleton, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { FieldTable } from '@/components/code/FieldTable';
import { nestedFieldsIn } from '@/lib/predict/schema';
import { KEY_VARIABLE, LANGUAGE_NAMES, languagesOf, snippet, type SnippetLanguage } from '@/lib/predict/snippets';
import { useExamples } from '@/lib/predict/useExamples';
import { useSchemas } from '@/lib/predict/useSchemas';

import { Downloads } from './Downloads';
import { KeyPanel } from './KeyPanel';

/** Code that calls the service. It contains a key only if its secret was created on this page; else it reads a variable. */
export function ApiTab({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Service');
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const [secret, setSecret] = useState<string | null>(null);
  const schemas = useSchemas(account, model.modelName);
  const examples = useExamples(account, model.modelName, model.taskType);
  const facts = {
    origin: window.location.origin,
    account,
    model: model.modelName,
    key: secret ?? KEY_VARIABLE,
    data: examples?.[0]?.request ?? {},
  };
  return (
    <Stack gap="md" maw={860}>
      <KeyPanel model={model} onSecret={setSecret} />
      <Group justify="space-between" align="flex-end">
        <Box maw="100%" style={{ overflowX: 'auto' }}>
          <SegmentedControl
            aria-label={t('language')}
            miw="max-content"
            value={language}
            onChange={setLanguage}
            data={languagesOf(model.taskType).map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          />
        </Box>
        <Downloads account={account} model={model} />
      </Group>
      {examples ? (
        <CodeBlock code={snippet(language, facts, model.taskType)} label={LANGUAGE_NAMES[language]} />
      ) : (
        <Skeleton h={120} />
      )}
      {schemas?.data && (
        <>
          <Title order={2}>{t('request')}</Title>
          <FieldTable fields={nestedFieldsIn(schemas.data)} />
        </>
      )}
      {schemas?.config && (
        <>
          <Title order={2}>{t('config')}</Title>
          <FieldTable fields={nestedFieldsIn(schemas.config)} />
        </>
      )}
    </Stack>
  );
}
