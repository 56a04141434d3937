import { Alert, Button, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useBrand } from '@/lib/brand';

import { useRedirect } from './useRedirect';

/** Asks first, so that a link on another site cannot sign people out. */
export function LogoutPage() {
  const { t } = useTranslation('Accounts');
  const { title } = useBrand();
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
      <Title order={1} fz={20}>
        {t('logoutQuestion', { brand: title })}
      </Title>
      {failed && <Alert color="red">{t('logoutFailed')}</Alert>}
      <Button loading={isLoading} onClick={() => void leave()}>
        {t('logout')}
      </Button>
      <Button component="a" href="/" variant="default">
        {t('App:cancel')}
      </Button>
    </Stack>
  );
}
