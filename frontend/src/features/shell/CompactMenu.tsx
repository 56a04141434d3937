import { ActionIcon, Menu } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';
import { overlayPlace } from '@/lib/overlayPlace';
import { loginAddress } from '@/lib/redirects';
import type { Session } from '@/lib/session';
import { useBack } from '@/lib/useBack';

import { AccountSwitch } from './AccountSwitch';
import { AppearanceItems } from './AppearanceItems';

/** Replaces parts of the header on phones. Opens as soon as it is loaded, since it is loaded on demand. */
export default function CompactMenu({ session }: { session: Session }) {
  const { t } = useTranslation('Header');
  const signedIn = session.state === 'signed-in';
  return (
    <Menu position="bottom-end" width={240} defaultOpened portalProps={{ target: overlayPlace() }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('menu')}>
          <IconMenu2 aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {signedIn && <AccountSwitch user={session.user} inMenu />}
        {signedIn ? <OwnPlaces superadmin={session.isSuperadmin} /> : <OpenPlaces />}
        <Menu.Divider />
        <AppearanceItems />
        {signedIn && (
          <>
            <Menu.Divider />
            <Menu.Item component="a" href="/c/logout">
              {t('logout')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function OwnPlaces({ superadmin }: { superadmin: boolean }) {
  const { t } = useTranslation('Header');
  if (superadmin) {
    return (
      <Menu.Item component={Link} to="/superadmin">
        {t('administration')}
      </Menu.Item>
    );
  }
  return (
    <>
      <Menu.Item component={Link} to="/workspace">
        {t('workspace')}
      </Menu.Item>
      <Menu.Item component={Link} to="/catalog">
        {t('catalog')}
      </Menu.Item>
      <Menu.Item component={Link} to="/workspace/account-info">
        {t('account')}
      </Menu.Item>
    </>
  );
}

function OpenPlaces() {
  const { t } = useTranslation('Header');
  const back = useBack();
  return (
    <>
      <Menu.Item component="a" href={loginAddress(back)}>
        {t('login')}
      </Menu.Item>
      <Menu.Item component={Link} to="/catalog">
        {t('catalog')}
      </Menu.Item>
      <Menu.Item component={Link} to="/swagger-ui">
        {t('api')}
      </Menu.Item>
      <Menu.Item component={Link} to="/docs">
        {t('docs')}
      </Menu.Item>
    </>
  );
}
