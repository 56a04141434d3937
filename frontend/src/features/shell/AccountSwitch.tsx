import { Button, Indicator, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { UserData } from '@/api/first/generated/accounts.gen';
import { selectAccountAddress } from '@/lib/redirects';
import { useBack } from '@/lib/useBack';

import classes from './Shell.module.css';

/** Shown to people with two or more accounts; the dot means an invitation to another account. */
export function AccountSwitch({ user, inMenu = false }: { user: UserData; inMenu?: boolean }) {
  const { t } = useTranslation('Header');
  const address = selectAccountAddress(useBack());
  const { data: accounts = [] } = accountsApi.useAccountsListAllowedAccountsQuery({ userId: user.userId });
  const { data: invitations = [] } = accountsApi.useAccountsGetInvitationsByUserQuery({ userId: user.userId });
  if (user.internal || accounts.length < 2) return null;
  const current = accounts.find(({ id }) => id === user.accountId)?.name ?? t('noAccount');
  const invited = invitations.length > 0;
  if (inMenu) {
    return (
      <Menu.Item component="a" href={address}>
        {t('switch', { account: current })}
      </Menu.Item>
    );
  }
  return (
    <Indicator
      className={classes.switcher ?? ''}
      disabled={invitations.length === 0}
      size={10}
      offset={2}
      position="top-end"
      withBorder
    >
      <Button
        component="a"
        href={address}
        size="xs"
        variant="default"
        className={classes.switch ?? ''}
        title={invited ? `${current}. ${t('invited')}` : current}
        aria-label={[t('switch', { account: current }), invited && t('invited')].filter(Boolean).join('. ')}
      >
        {current}
      </Button>
    </Indicator>
  );
}
