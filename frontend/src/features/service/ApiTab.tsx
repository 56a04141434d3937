import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { CodeBlock } from '@/components/CodeBlock';
import { examplesOf } from '@/lib/taskTypes';
import { useSession } from '@/lib/session';

import { SNIPPET_LANGUAGES, snippet, type SnippetLanguage } from '@/lib/snippets';

const NAMES: Record<SnippetLanguage, string> = { curl: 'curl', python: 'Python', javascript: 'JavaScript' };

export function ApiTab({ account, model, taskType }: { account: string; model: string; taskType: string }) {
  const { t } = useTranslation('Service');
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const session = useSession();
  const facts = { origin: window.location.origin, account, model, key: '$MLP_API_KEY', data: examplesOf(taskType)[0] };
  return (
    <Stack gap="md" maw={860}>
      <Text>{t('apiHint')}</Text>
      <SegmentedControl
        aria-label={t('language')}
        w="fit-content"
        value={language}
        onChange={setLanguage}
        data={SNIPPET_LANGUAGES.map((value) => ({ value, label: NAMES[value] }))}
      />
      <CodeBlock code={snippet(language, facts)} label={NAMES[language]} />
      <Alert variant="light" title={t('needKey')}>
        {session.state === 'signed-in' ? <Link to="/workspace/api-keys">{t('makeKey')}</Link> : <a href="/c/register">{t('signUp')}</a>}
      </Alert>
    </Stack>
  );
}
