import { Alert, Anchor, Button, Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { AccessTokenData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
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
  const { data, error, refetch } = coreApi.useCoreListAccessTokensQuery({ account });
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const back = safeRedirect(params.get('back'), window.location.origin);
  const [edited, setEdited] = useState<AccessTokenData | 'new' | null>(params.has('new') ? 'new' : null);
  const [revoking, setRevoking] = useState<AccessTokenData | null>(null);
  const [now] = useState(() => Date.now());
  const problem = asProblem(error);
  const ending = (data ?? []).filter(({ expiresAt }) => expiryOf(expiresAt, now) === 'soon');
  const close = () => {
    setEdited(null);
    if (back) void navigate(back);
  };
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {t('create')}
        </Button>
      }
    >
      {back && (
        <Anchor component={Link} to={back} w="fit-content">
          {t('backToService')}
        </Anchor>
      )}
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !data && <Skeleton h={160} />}
      {ending.length > 0 && <Alert color="yellow">{t('endSoon', { names: ending.map(({ name }) => name).join(', ') })}</Alert>}
      {data?.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {data && data.length > 0 && <KeyList keys={data} now={now} onEdit={setEdited} onRevoke={setRevoking} />}
      <KeyDrawer account={account} edited={edited} onClose={close} />
      <Revoke account={account} revoking={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

function Revoke({ account, revoking, onClose }: { account: string; revoking: AccessTokenData | null; onClose: () => void }) {
  const { t } = useTranslation('Keys');
  const [remove] = coreApi.useCoreDeleteAccessTokenMutation();
  const refused = useProblemToast();
  const confirm = async () => {
    if (!revoking) return;
    const { error } = await remove({ account, token: keyId(revoking.token) });
    if (!refused(t('failed'), error)) toastDone(t('revoked', { name: revoking.name }));
    onClose();
  };
  return (
    <Confirm opened={revoking !== null} onClose={onClose} title={t('revokeTitle', { name: revoking?.name ?? '' })} action={t('revoke')} onConfirm={confirm}>
      {t('revokeHint')}
    </Confirm>
  );
}
