import { ActionIcon, Button, Menu, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconMenu2, IconUserCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, NavLink, useLocation } from 'react-router';

import { type Session, useSession } from '@/lib/session';
import { loginAddress } from '@/lib/redirects';

import { AccountSwitch } from './AccountSwitch';
import { Appearance } from './Appearance';
import { BalanceMenu } from './BalanceMenu';
import { Logo } from './Logo';
import classes from './Shell.module.css';

const NARROW = '(max-width: 640px)';

export function Header() {
  const session = useSession();
  const narrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const { t } = useTranslation('Header');
  return (
    <header className={classes.header}>
      <Link to={session.state === 'signed-in' ? '/landing' : '/'} className={classes.logo} aria-label={t('home')}>
        <Logo />
        MLPlace
      </Link>
      {!narrow && <Tabs session={session} />}
      <span className={classes.space} />
      {session.state === 'signed-in' && session.accountId !== null && <BalanceMenu accountId={session.accountId} />}
      {!narrow && session.state === 'signed-in' && <AccountSwitch user={session.user} />}
      {!narrow && <Appearance />}
      {narrow ? <CompactMenu session={session} /> : <Who session={session} />}
    </header>
  );
}

function Tabs({ session }: { session: Session }) {
  const { t } = useTranslation('Header');
  const superadmin = session.state === 'signed-in' && session.isSuperadmin;
  return (
    <nav className={classes.nav} aria-label={t('sections')}>
      {session.state === 'signed-in' && !superadmin && (
        <NavLink to="/workspace" className={classes.link ?? ''}>
          {t('workspace')}
        </NavLink>
      )}
      {!superadmin && (
        <NavLink to="/catalog" className={classes.link ?? ''}>
          {t('catalog')}
        </NavLink>
      )}
      <NavLink to="/swagger-ui" className={classes.link ?? ''}>
        {t('api')}
      </NavLink>
    </nav>
  );
}

function Who({ session }: { session: Session }) {
  const { t } = useTranslation('Header');
  const back = useBack();
  if (session.state === 'loading') return null;
  if (session.state !== 'signed-in') {
    return (
      <Button component="a" href={loginAddress(back)} size="xs">
        {t('login')}
      </Button>
    );
  }
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={t('menu')} display="flex">
          <IconUserCircle size={26} stroke={1.5} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session.user.login}</Menu.Label>
        {!session.isSuperadmin && (
          <Menu.Item component={Link} to="/workspace/account-info">
            {t('account')}
          </Menu.Item>
        )}
        <Menu.Item component="a" href="/c/logout">
          {t('logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Replaces the header's parts on a phone. */
function CompactMenu({ session }: { session: Session }) {
  const { t } = useTranslation('Header');
  const back = useBack();
  const signedIn = session.state === 'signed-in';
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('menu')}>
          <IconMenu2 aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {signedIn && <AccountSwitch user={session.user} inMenu />}
        {signedIn && !session.isSuperadmin && (
          <Menu.Item component={Link} to="/workspace">
            {t('workspace')}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to="/catalog">
          {t('catalog')}
        </Menu.Item>
        <Menu.Item component={Link} to="/swagger-ui">
          {t('api')}
        </Menu.Item>
        {signedIn && !session.isSuperadmin && (
          <Menu.Item component={Link} to="/workspace/account-info">
            {t('account')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Appearance inMenu />
        <Menu.Divider />
        {signedIn ? (
          <Menu.Item component="a" href="/c/logout">
            {t('logout')}
          </Menu.Item>
        ) : (
          <Menu.Item component="a" href={loginAddress(back)}>
            {t('login')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function useBack(): string {
  const { pathname, search } = useLocation();
  return pathname + search;
}
