import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { ProblemSummary } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';

import { FieldChanges } from './FieldChanges';

interface Where {
  account: string;
  model: string;
}

interface Props extends Where {
  /** The version to restore; null: none is asked about. */
  version: number | null;
  onClose: () => void;
}

/** Asks whether to go back to a version, and says what that changes now. */
export function RestoreVersion({ version, onClose, ...where }: Props) {
  const { t } = useTranslation('Versions');
  return (
    <Modal
      opened={version !== null}
      onClose={onClose}
      size="lg"
      title={t('restoreTitle', { number: version ?? '' })}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      {version !== null && <Question version={version} onClose={onClose} {...where} />}
    </Modal>
  );
}

function Question({ account, model, version, onClose }: Where & { version: number; onClose: () => void }) {
  const { t } = useTranslation('Versions');
  const where = { account, model, version };
  const { currentData, error, refetch } = coreApi.useCoreGetModelVersionQuery(where, {
    refetchOnMountOrArgChange: true,
  });
  const [restore, restoring] = coreApi.useCoreRestoreModelVersionMutation();
  const unread = asProblem(error);
  const refused = asProblem(restoring.error);
  if (unread && !currentData) return <ProblemView problem={unread} again={() => void refetch()} />;
  if (!currentData) return <Skeleton h={160} />;
  const changes = currentData.restoring;
  const confirm = async () => {
    if ((await restore(where)).error) return;
    toastDone(t('restored', { number: version }));
    onClose();
  };
  return (
    <Stack>
      {changes.length === 0 ? (
        <Text>{t('nothing')}</Text>
      ) : (
        <div>
          <Text mb={4}>{t('would')}</Text>
          <FieldChanges changes={changes} />
        </div>
      )}
      <Text size="sm">{t('stays')}</Text>
      {refused && (
        <Alert color="red" role="alert" tabIndex={-1} data-problem>
          <ProblemSummary problem={refused} />
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('App:cancel')}
        </Button>
        {changes.length > 0 && (
          <Button loading={restoring.isLoading} onClick={() => void confirm()}>
            {t('restore')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
