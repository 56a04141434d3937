import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { KeyForm } from './KeyForm';
import { NewKey } from './NewKey';

interface Props {
  account: string;
  /** `null`: the drawer is closed. */
  edited: AccessTokenData | 'new' | null;
  onClose: () => void;
}

/** Creates or changes a key. The secret is shown once, right after creation. */
export function KeyDrawer({ account, edited, onClose }: Props) {
  const { t } = useTranslation('Keys');
  const [created, setCreated] = useState<{ token: string; forPages: boolean } | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  const title = created ? 'created' : edited === 'new' ? 'create' : 'edit';
  return (
    <Drawer opened={edited !== null} onClose={close} position="right" size="lg" title={t(title)} closeOnClickOutside={!created} closeButtonProps={{ 'aria-label': t('App:close') }}>
      {created ? <NewKey {...created} onDone={close} /> : edited && <KeyForm account={account} edited={edited === 'new' ? null : edited} onCreated={(token, forPages) => setCreated({ token, forPages })} onChanged={close} />}
    </Drawer>
  );
}
