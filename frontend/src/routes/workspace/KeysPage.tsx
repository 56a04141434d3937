import { Alert, Anchor } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';

import { coreApi } from '@/api';
import type { AccessTokenData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { Link } from '@/components/Link';
import { KeyDrawer } from '@/features/keys/KeyDrawer';
import { KeyList } from '@/features/keys/KeyList';
import { expiryOf } from '@/features/keys/keyValues';
import { keyId } from '@/features/keys/useKeys';
import { safeRedirect } from '@/lib/redirects';
import { useMember } from '@/lib/session';

/** The keys with which programs call services. */
export function KeysPage() {
  const { t } = useTranslation('Keys');
  const { account } = useMember();
  const query = coreApi.useCoreListAccessTokensQuery({ account });
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const back = safeRedirect(params.get('back'), window.location.origin);
  const [edited, setEdited] = useState<AccessTokenData | 'new' | null>(params.has('new') ? 'new' : null);
  const [revoking, setRevoking] = useState<readonly AccessTokenData[]>([]);
  const [now] = useState(() => Date.now());
  const ending = (query.data ?? []).filter(({ expiresAt }) => expiryOf(expiresAt, now) === 'soon');
  const close = () => {
    setEdited(null);
    if (back) void navigate(back);
  };
  return (
    <KeyList
      account={account}
      keys={query.data}
      query={query}
      now={now}
      onCreate={() => setEdited('new')}
      onEdit={setEdited}
      onRevoke={setRevoking}
      notice={
        <>
          {back && (
            <Anchor component={Link} to={back} w="fit-content">
              {t('backToService')}
            </Anchor>
          )}
          {ending.length > 0 && <EndSoon keys={ending} onOpen={setEdited} />}
        </>
      }
    >
      <KeyDrawer account={account} edited={edited} onClose={close} />
      <Revoke account={account} revoking={revoking} onClose={() => setRevoking([])} />
    </KeyList>
  );
}

/** Names the keys that need an answer soon; each name opens its key. */
function EndSoon({ keys, onOpen }: { keys: readonly AccessTokenData[]; onOpen: (key: AccessTokenData) => void }) {
  const { t } = useTranslation('Keys');
  return (
    <Alert color="yellow">
      {t('endSoon')}{' '}
      {keys.map((key, at) => (
        <Fragment key={key.token}>
          {at > 0 && ', '}
          <Anchor component="button" type="button" inherit onClick={() => onOpen(key)}>
            {key.name}
          </Anchor>
        </Fragment>
      ))}
    </Alert>
  );
}

function Revoke({
  account,
  revoking,
  onClose,
}: {
  account: string;
  revoking: readonly AccessTokenData[];
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation('Keys');
  const [remove] = coreApi.useCoreDeleteAccessTokenMutation();
  const refused = useProblemToast();
  const names = new Intl.ListFormat(i18n.language).format(revoking.map(({ name }) => name));
  const many = revoking.length > 1;
  const confirm = async () => {
    // One after the other: the first refusal ends it, and what is revoked by then is said.
    const done: string[] = [];
    for (const { token, name } of revoking) {
      // oxlint-disable-next-line no-await-in-loop
      const { error } = await remove({ account, token: keyId(token) });
      if (refused(t('failed'), error)) break;
      done.push(name);
    }
    if (done.length > 0)
      toastDone(done.length > 1 ? t('revokedMany', { count: done.length }) : t('revoked', { name: done[0] }));
    onClose();
  };
  return (
    <Confirm
      opened={revoking.length > 0}
      onClose={onClose}
      title={many ? t('revokeMany', { count: revoking.length }) : t('revokeTitle', { name: names })}
      action={t('revoke')}
      onConfirm={confirm}
    >
      {many ? t('revokeManyHint', { names }) : t('revokeHint')}
    </Confirm>
  );
}
