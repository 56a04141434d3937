import { Center, Paper, Stack, useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';

import { Mark } from '@/components/Mark';
import { useBrand } from '@/lib/brand';

import { ConfirmEmailPage } from './ConfirmEmailPage';
import { ForgotPasswordPage } from './ForgotPasswordPage';
import { LoginPage } from './LoginPage';
import { LogoutPage } from './LogoutPage';
import { RegisterPage } from './RegisterPage';
import { ResetPasswordPage } from './ResetPasswordPage';
import { SelectAccountPage } from './SelectAccountPage';
import { themeIn } from './useRedirect';

const PAGES: Record<string, () => React.ReactNode> = {
  '/c/login': LoginPage,
  '/c/register': RegisterPage,
  '/c/logout': LogoutPage,
  '/c/select-account': SelectAccountPage,
  '/c/forgot-password': ForgotPasswordPage,
  '/c/reset-password': ResetPasswordPage,
  '/c/confirm-email': ConfirmEmailPage,
};

/** The sign-in pages. They are a separate entry of the build, so that signing in loads nothing else. */
export function AccountsApp() {
  useThemeOfAddress();
  const brand = useBrand();
  const Shown = PAGES[window.location.pathname.replace(/\/$/, '')] ?? LoginPage;
  return (
    <Center mih="100vh" p="md" bg="var(--mlp-surface)">
      <Stack w="100%" maw={400} gap="lg" component="main">
        <Center
          component="a"
          {...{ href: '/' }}
          aria-label={brand.title}
          style={{ gap: 8, color: 'inherit', textDecoration: 'none', fontWeight: 600, fontSize: 16 }}
        >
          <Mark />
          {brand.title}
        </Center>
        <Paper withBorder p="xl">
          <Shown />
        </Paper>
      </Stack>
    </Center>
  );
}

/** The page that sends people here may pass on their theme. */
function useThemeOfAddress(): void {
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => {
    const theme = themeIn(new URLSearchParams(window.location.search));
    if (theme) setColorScheme(theme);
  }, [setColorScheme]);
}
