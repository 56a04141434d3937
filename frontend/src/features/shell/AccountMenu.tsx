import { Avatar, Box, Menu, UnstyledButton } from '@mantine/core';
import { IconLogout, IconPlus, IconUser } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';
import { overlayPlace } from '@/lib/overlayPlace';
import type { SignedIn } from '@/lib/session';

import { AccountSwitch } from './AccountSwitch';
import { AppearanceItems } from './AppearanceItems';
import classes from './Shell.module.css';

export function shortName(login: string): string {
  return login.split('@')[0] ?? login;
}

export function AccountMenu({ session }: { session: SignedIn }) {
  const { t } = useTranslation('Header');
  const name = shortName(session.user.login);
  return (
    <Menu position="bottom-end" width={220} portalProps={{ target: overlayPlace() }}>
      <Menu.Target>
        <UnstyledButton aria-label={t('menu')} className={classes.who ?? ''}>
          <Avatar size={26} radius="xl" color="accent" name={name} aria-hidden>
            {name.slice(0, 1).toUpperCase()}
          </Avatar>
          <span className={classes.name}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{session.user.login}</Menu.Label>
        {!session.isSuperadmin && (
          <>
            <Menu.Item component={Link} to="/workspace/account-info" leftSection={<IconUser size={16} aria-hidden />}>
              {t('account')}
            </Menu.Item>
            <Menu.Item component={Link} to="/workspace/create-service" leftSection={<IconPlus size={16} aria-hidden />}>
              {t('create')}
            </Menu.Item>
          </>
        )}
        <Box className={classes.tight ?? ''}>
          <AccountSwitch user={session.user} inMenu />
          <Menu.Item component={Link} to="/docs">
            {t('docs')}
          </Menu.Item>
          <AppearanceItems />
        </Box>
        <Menu.Item component="a" href="/c/logout" leftSection={<IconLogout size={16} aria-hidden />}>
          {t('logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
