import { Accordion, Alert, Anchor, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ExternalConnectionInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { StateDot } from '@/components/StateDot';

import type { Where } from './where';

interface Props extends Where {
  /** The instances that run as far as the rest of the page says; undefined: it does not say. Two polls differ for a moment. */
  running: ReadonlySet<number> | undefined;
}

/** How to run an external instance: a docker command, a compose file, or the variables. */
export function ConnectionGuide({ account, model, running }: Props) {
  const { t } = useTranslation('Diagnostics');
  const { data = [] } = coreApi.useCoreGetExternalConnectionsQuery(
    { account, model },
    { pollingInterval: 3000, skipPollingIfUnfocused: true },
  );
  if (data.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2}>{t('connect')}</Title>
      <Text c="dimmed">{t('connectHint')}</Text>
      <Accordion variant="separated" defaultValue={data.length === 1 ? String(data[0]?.id.instanceId) : null}>
        {data.map((connection) => (
          <Accordion.Item key={connection.id.instanceId} value={String(connection.id.instanceId)}>
            <Accordion.Control>
              <Group>
                {t('instance', { number: connection.id.instanceId })}
                <StateDot
                  state={(running?.has(connection.id.instanceId) ?? connection.connected) ? 'RUNNING' : 'WAITING'}
                />
                {(connection.hostname || connection.httpHost) && (
                  <Text size="sm" c="dimmed" ff="monospace">
                    {connection.hostname || connection.httpHost}
                  </Text>
                )}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              {connection.httpHost ? <HttpAddress connection={connection} /> : <Commands connection={connection} />}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}

/** For an instance that connects to the gates. */
function Commands({ connection }: { connection: ExternalConnectionInfoData }) {
  const { t } = useTranslation('Diagnostics');
  return (
    <Stack gap="sm">
      {connection.withheldVariables.length > 0 && (
        <Alert color="yellow">{t('withheld', { names: connection.withheldVariables.join(', ') })}</Alert>
      )}
      <Tabs defaultValue="docker" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="docker">docker run</Tabs.Tab>
          <Tabs.Tab value="compose">docker compose</Tabs.Tab>
          <Tabs.Tab value="environment">{t('tab.environment')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="docker">
          <CodeBlock code={connection.dockerRunCommand ?? ''} label="docker run" />
        </Tabs.Panel>
        <Tabs.Panel value="compose">
          <Stack gap="xs">
            <CodeBlock code={connection.dockerComposeContent ?? ''} label="docker compose" />
            <Anchor
              size="sm"
              href={`data:text/yaml;charset=utf-8,${encodeURIComponent(connection.dockerComposeContent ?? '')}`}
              download="docker-compose.yml"
            >
              {t('downloadCompose')}
            </Anchor>
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="environment">
          <Stack gap="xs">
            <CodeBlock code={variablesOf(connection)} label={t('tab.environment')} />
            <Text size="sm">{t('sdk')}</Text>
            <CodeBlock code={`pip install ${window.location.origin}/${SDK_WHEEL}`} label={t('sdk')} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** The variables as a file has them. No shell fills in the name of the host there; a container has it anyway. */
export function variablesOf({ envVariables }: Pick<ExternalConnectionInfoData, 'envVariables'>): string {
  return Object.entries(envVariables)
    .filter(([, value]) => value !== '$(hostname)')
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** For an instance that the platform calls. */
function HttpAddress({ connection }: { connection: ExternalConnectionInfoData }) {
  const { t } = useTranslation('Diagnostics');
  return (
    <Stack gap="xs">
      <Text size="sm">{t('httpAddress')}</Text>
      <CodeBlock code={addressOf(connection)} label={t('host')} />
    </Stack>
  );
}

/** The URL that the gates call: with TLS on port 443. */
export function addressOf({ httpHost, httpPort }: Pick<ExternalConnectionInfoData, 'httpHost' | 'httpPort'>): string {
  const host = httpHost?.includes(':') ? `[${httpHost}]` : httpHost;
  return httpPort === 443 ? `https://${host}` : `http://${host}:${httpPort}`;
}
