import { Button, Modal, Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { SecretData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { SecretForm } from '@/features/secrets/SecretForm';
import { SecretTable } from '@/features/secrets/SecretTable';
import { useMember } from '@/lib/session';

/** Passwords and keys that services need. Values go in here, and never come out. */
export function SecretsPage() {
  const { t } = useTranslation('Secrets');
  const { account } = useMember();
  const { data, error, refetch } = coreApi.useCoreListSecretsQuery({ account });
  const [edited, setEdited] = useState<SecretData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<SecretData | null>(null);
  const [remove] = coreApi.useCoreDeleteSecretMutation();
  const refused = useProblemToast();
  const problem = asProblem(error);
  const end = async () => {
    if (!doomed) return;
    const result = await remove({ account, secretId: doomed.secretId });
    refused(t('failed'), result.error);
    setDoomed(null);
  };
  const title = edited === 'new' ? t('create') : t('replaceOf', { name: edited?.name ?? '' });
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
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !data && <Skeleton h={160} />}
      {data?.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {data && data.length > 0 && <SecretTable account={account} secrets={data} onReplace={setEdited} onDelete={setDoomed} />}
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title={title} closeOnClickOutside={false} closeOnEscape={false} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {edited && <SecretForm account={account} secret={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />}
      </Modal>
      <Confirm opened={doomed !== null} onClose={() => setDoomed(null)} title={t('deleteOf', { name: doomed?.name ?? '' })} action={t('App:delete')} onConfirm={end}>
        {t('deleteHint')}
      </Confirm>
    </Page>
  );
}
