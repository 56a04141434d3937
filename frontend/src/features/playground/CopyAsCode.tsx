import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCode } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { KEY_VARIABLE, LANGUAGE_NAMES, snippet, SNIPPET_LANGUAGES } from '@/lib/predict/snippets';
import { overlayPlace } from '@/lib/overlayPlace';

import type { Tried } from './tried';

/** Copies a program that makes the same call. */
export function CopyAsCode({ tried, data, config }: { tried: Tried; data: unknown; config: unknown }) {
  const { t } = useTranslation('Playground');
  const { copied, copy } = useClipboard({ timeout: 1500 });
  const facts = {
    origin: window.location.origin,
    account: tried.account,
    model: tried.model,
    key: KEY_VARIABLE,
    data,
    config,
  };
  return (
    <Menu portalProps={{ target: overlayPlace() }}>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          fw={400}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCode size={16} aria-hidden />}
        >
          {t(copied ? 'App:copied' : 'copyAsCode')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {SNIPPET_LANGUAGES.map((language) => (
          <Menu.Item key={language} onClick={() => copy(snippet(language, facts, tried.taskType))}>
            {LANGUAGE_NAMES[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
