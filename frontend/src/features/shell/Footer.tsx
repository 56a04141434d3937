import { Anchor, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { firstApi } from '@/api/first';
import { type ModalName, useModal } from '@/lib/modals';
import { type Session, useSession, useSettings } from '@/lib/session';

import classes from './Shell.module.css';

const PRODUCTION = 'production';

/** Contacts of the team, and the build, except in production. */
export function Footer() {
  const { t } = useTranslation('Footer');
  const session = useSession();
  const { data: settings } = useSettings();
  const requests = requestsOf(session);
  return (
    <footer className={classes.footer}>
      <Group gap="md">
        {requests.map((name) => (
          <Ask key={name} name={name} />
        ))}
        {settings?.supportChatUrl && (
          <Anchor size="sm" c="dimmed" href={settings.supportChatUrl} target="_blank" rel="noreferrer">
            {t('chat')}
          </Anchor>
        )}
      </Group>
      {settings && settings.envName !== PRODUCTION && <Builds />}
    </footer>
  );
}

/** Hidden for the team itself, and for visitors, who have no account to develop a service for. */
export function requestsOf(session: Session): ModalName[] {
  if (session.state !== 'signed-in') return ['contact', 'demo'];
  return session.isSuperadmin ? [] : ['contact', 'service-development'];
}

function Ask({ name }: { name: ModalName }) {
  const { t } = useTranslation('Footer');
  const { open } = useModal();
  return (
    <Anchor component="button" type="button" size="sm" c="dimmed" onClick={() => open(name)}>
      {t(name)}
    </Anchor>
  );
}

function Builds() {
  const { t } = useTranslation('Footer');
  const core = firstApi.useCoreGetVersionQuery();
  const gateway = firstApi.useGatewayGetVersionQuery();
  const billing = firstApi.useBillingGetVersionQuery();
  const builds = {
    frontend: BUILD_FACTS.buildNumber,
    core: core.data?.buildNumber,
    gateway: gateway.data?.buildNumber,
    billing: billing.data?.buildNumber,
  };
  return (
    <Text size="xs" c="dimmed" ff="monospace" title={t('builds')} data-testid="builds">
      {Object.entries(builds)
        .map(([name, number]) => `${name} ${number ?? '–'}`)
        .join(' · ')}
    </Text>
  );
}
