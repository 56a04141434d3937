import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';

import { useRedirect } from './useRedirect';

/** Asks first: a link of another site must not be able to sign anybody out. */
export function LogoutPage() {
  const { t } = useTranslation('Accounts');
  const redirect = useRedirect();
  const [signOut, { isLoading }] = accountsApi.useAccountsSignOutMutation();
  const [failed, setFailed] = useState(false);
  const leave = async () => {
    const { error } = await signOut();
    if (error) setFailed(true);
    else redirect.go(null);
  };
  return (
    <Stack>
      <Text>{t(failed ? 'logoutFailed' : 'logoutQuestion')}</Text>
      <Button loading={isLoading} onClick={() => void leave()}>
        {t('logout')}
      </Button>
      <Button component="a" href="/" variant="default">
        {t('App:cancel')}
      </Button>
    </Stack>
  );
}
