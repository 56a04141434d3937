import { Button, Center, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';

import { firstApi } from '@/api/first';
import { Link } from '@/components/Link';
import { usePageTitle } from '@/components/Page';
import { selectAccountAddress } from '@/lib/redirects';
import { useSession } from '@/lib/session';

function Notice({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  const { t } = useTranslation('Error');
  const session = useSession();
  usePageTitle(title);
  return (
    <Center flex={1} p="xl">
      {/* Search engines must not list an address without content. */}
      <meta name="robots" content="noindex" />
      <Stack align="center" gap="sm" ta="center" maw={480}>
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        {children}
        <Group justify="center" mt="xs">
          <Button component={Link} to="/catalog">
            {t('toCatalog')}
          </Button>
          {session.state === 'signed-in' && !session.isSuperadmin && (
            <>
              <Button component={Link} to="/workspace/services" variant="default">
                {t('toServices')}
              </Button>
              <OtherAccount userId={session.user.userId} />
            </>
          )}
        </Group>
      </Stack>
    </Center>
  );
}

/** What is missing for one account may belong to another account of the same person. */
function OtherAccount({ userId }: { userId: number }) {
  const { t } = useTranslation('Error');
  const { data: accounts = [] } = firstApi.useAccountsListAllowedAccountsQuery({ userId });
  if (accounts.length < 2) return null;
  return (
    <Button component="a" href={selectAccountAddress('/workspace')} variant="default">
      {t('otherAccount')}
    </Button>
  );
}

/** For an address without a page. `name`: the object that the address names; it may also be another account's. */
export function NotFoundPage({ name }: { name?: string }) {
  const { t } = useTranslation('Error');
  return (
    <Notice title={name ? t('notFoundOf', { name }) : t('notFound')} text={t(name ? 'notFoundOfHint' : 'notFoundHint')}>
      <Search wanted={name?.split('/').at(-1) ?? ''} />
    </Notice>
  );
}

function Search({ wanted }: { wanted: string }) {
  const { t } = useTranslation('Error');
  const navigate = useNavigate();
  const [text, setText] = useState(wanted);
  return (
    <form
      style={{ width: '100%' }}
      onSubmit={(event) => {
        event.preventDefault();
        void navigate(`/catalog?${new URLSearchParams({ search: text.trim() }).toString()}`);
      }}
    >
      <Group gap="xs" justify="flex-end">
        <TextInput
          flex="1 0 240px"
          type="search"
          maxLength={64}
          aria-label={t('search')}
          placeholder={t('search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!text.trim()}>
          {t('find')}
        </Button>
      </Group>
    </form>
  );
}

const CONTEXTS = { ip: 'forbiddenAddress', account: 'forbiddenAccount' } as const;
type Context = keyof typeof CONTEXTS;

/** `context` `ip`: the account may not be used from this address; `account`: choosing it changed nothing. */
export function ForbiddenPage({ context }: { context?: Context | undefined }) {
  const { t } = useTranslation('Error');
  return <Notice title={t('forbidden')} text={t(context ? CONTEXTS[context] : 'forbiddenHint')} />;
}

export function ForbiddenRoute() {
  const [params] = useSearchParams();
  const given = params.get('context');
  return <ForbiddenPage context={given === 'ip' || given === 'account' ? given : undefined} />;
}
