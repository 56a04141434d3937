import { Box } from '@mantine/core';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router';

import { useShortcuts } from '@/features/palette/useShortcuts';
import { useSession, useSettings } from '@/lib/session';

import { Footer } from './Footer';
import { Header } from './Header';
import { LatePlace } from './LatePlace';
import { Modals } from './Modals';
import classes from './Shell.module.css';
import { useForcedLanguage, useOtherLanguage } from './useOtherLanguage';
import { useNewBuild } from './useNewBuild';

const Banners = lazy(() => import('./Banners'));
const LicenceBanner = lazy(async () => ({ default: (await import('@/features/licence/LicenceBanner')).LicenceBanner }));
const Palette = lazy(() => import('@/features/palette/Palette'));
const KeyboardHelp = lazy(() => import('@/features/palette/KeyboardHelp'));
const Tracking = lazy(() => import('@/features/tracking/Tracking'));
const NewBuildModal = lazy(() => import('./NewBuildModal'));

/** The frame of every page. */
export function Shell() {
  const { t } = useTranslation('App');
  const content = useRef<HTMLElement>(null);
  const session = useSession();
  const { data: settings } = useSettings();
  const newBuild = useNewBuild();
  const [asked, setAsked] = useState(false);
  const { overlay, open, close } = useShortcuts();
  const language = useOtherLanguage();
  useForcedLanguage();
  const member =
    session.state === 'signed-in' && session.accountId !== null ? { session, accountId: session.accountId } : null;
  return (
    <Box className={classes.shell}>
      <a
        href="#content"
        className={classes.skip}
        onClick={(event) => {
          event.preventDefault(); // the address stays what it is
          content.current?.focus();
        }}
      >
        {t('skip')}
      </a>
      <Header onSearch={() => open('palette')} />
      <LatePlace
        name="banners"
        known={settings !== undefined && session.state !== 'loading' && (member === null || asked)}
      >
        <Suspense fallback={null}>
          {member && <Banners {...member} onAnswer={() => setAsked(true)} />}
          {settings?.license && <LicenceBanner />}
        </Suspense>
      </LatePlace>
      <main ref={content} id="content" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
      <Footer />
      <Modals />
      <Suspense fallback={null}>
        {session.state === 'signed-in' && settings?.saveClicksEnabled && <Tracking />}
      </Suspense>
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette language={language} onClose={close} onHelp={() => open('help')} />}
        {overlay === 'help' && <KeyboardHelp onClose={close} />}
      </Suspense>
      <Suspense fallback={null}>
        {newBuild.found && <NewBuildModal onClose={newBuild.dismiss} onNever={newBuild.never} />}
      </Suspense>
    </Box>
  );
}
