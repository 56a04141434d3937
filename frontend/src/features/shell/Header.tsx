import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';

import { Link } from '@/components/Link';
import { Mark } from '@/components/Mark';
import { PaletteButton } from '@/features/palette/PaletteButton';
import { useBrand } from '@/lib/brand';
import { loginAddress } from '@/lib/redirects';
import { type Session, useSession } from '@/lib/session';
import { useBack } from '@/lib/useBack';

import { Appearance } from './Appearance';
import { MenuButton } from './MenuButton';
import classes from './Shell.module.css';

// Visitors of the catalogue do not load it.
const MemberTools = lazy(() => import('./MemberTools'));

const NARROW = '(max-width: 640px)';

export function Header({ onSearch }: { onSearch: () => void }) {
  const session = useSession();
  const narrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const brand = useBrand();
  const { t } = useTranslation('Header');
  return (
    <header className={classes.header} data-brand={brand.header}>
      <Link
        to={session.state === 'signed-in' ? '/landing' : '/'}
        className={classes.logo}
        aria-label={t('home', { brand: brand.title })}
      >
        <Mark />
        <span className={classes.title}>{brand.title}</span>
      </Link>
      {!narrow && <Tabs session={session} />}
      <span className={classes.space} />
      <PaletteButton onOpen={onSearch} />
      {session.state === 'signed-in' && (
        <Suspense fallback={null}>
          <MemberTools session={session} narrow={narrow} />
        </Suspense>
      )}
      {!narrow && (
        <span className={classes.appearance} data-member={session.state === 'signed-in' || undefined}>
          <Appearance />
        </span>
      )}
      {!narrow && session.state !== 'signed-in' && session.state !== 'loading' && <Login />}
      {narrow && <MenuButton session={session} />}
    </header>
  );
}

function Login() {
  const { t } = useTranslation('Header');
  const back = useBack();
  return (
    <Button component="a" href={loginAddress(back)} size="xs">
      {t('login')}
    </Button>
  );
}

/** Superadmins administer; they do not see other people's sections. */
function Tabs({ session }: { session: Session }) {
  const { t } = useTranslation('Header');
  const superadmin = session.state === 'signed-in' && session.isSuperadmin;
  return (
    <nav className={classes.nav} aria-label={t('sections')}>
      {session.state === 'signed-in' && !superadmin && <Place to="/workspace">{t('workspace')}</Place>}
      {!superadmin && <Place to="/catalog">{t('catalog')}</Place>}
      {superadmin && <Place to="/superadmin">{t('administration')}</Place>}
      <Place to="/swagger-ui">{t('api')}</Place>
      {/* Members have it in their menu too, where the header is short of room. */}
      <Place to="/docs" also={session.state === 'anonymous' ? '' : (classes.docs ?? '')}>
        {t('docs')}
      </Place>
    </nav>
  );
}

/** One of the sections, marked if the page belongs to it. */
function Place({ to, also = '', children }: { to: string; also?: string; children: string }) {
  const { pathname } = useLocation();
  const current = pathname === to || pathname.startsWith(`${to}/`);
  return (
    <Link to={to} className={`${classes.link ?? ''} ${also}`} aria-current={current ? 'page' : undefined}>
      {children}
    </Link>
  );
}
