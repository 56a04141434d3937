import { ActionIcon, Menu } from '@mantine/core';
import { IconCopyPlus, IconDots, IconFolder, IconRotate, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { overlayPlace } from '@/lib/overlayPlace';

import { AssignGroup } from './AssignGroup';
import { CloneService } from './CloneService';

type Opened = 'group' | 'clone' | 'renew' | 'delete' | null;

interface Props {
  account: string;
  model: ModelInfoData;
  onDeleted?: (() => void) | undefined;
}

/** Actions of an owner on the whole service. Opens as soon as it is loaded, since it is loaded on demand. */
export default function ServiceActions({ account, model, onDeleted }: Props) {
  const { t } = useTranslation('Service');
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      <Menu position="bottom-end" defaultOpened portalProps={{ target: overlayPlace() }}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('actions', { name: model.displayName ?? model.modelName })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFolder size={16} aria-hidden />} onClick={() => setOpened('group')}>
            {t('assignGroup')}
          </Menu.Item>
          <Menu.Item leftSection={<IconCopyPlus size={16} aria-hidden />} onClick={() => setOpened('clone')}>
            {t('clone')}
          </Menu.Item>
          <Menu.Item leftSection={<IconRotate size={16} aria-hidden />} onClick={() => setOpened('renew')}>
            {t('renew')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setOpened('delete')}>
            {t('delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <AssignGroup account={account} model={model} opened={opened === 'group'} onClose={close} />
      <CloneService account={account} model={model} opened={opened === 'clone'} onClose={close} />
      <RenewInstances account={account} model={model} opened={opened === 'renew'} onClose={close} />
      <DeleteService
        account={account}
        model={model}
        opened={opened === 'delete'}
        onClose={close}
        onDeleted={onDeleted}
      />
    </>
  );
}

interface RenewProps {
  account: string;
  model: ModelInfoData;
  opened: boolean;
  onClose: () => void;
}

/** Replaces instances one by one, so that the service keeps answering. */
function RenewInstances({ account, model, opened, onClose }: RenewProps) {
  const { t } = useTranslation('Service');
  const [renew] = coreApi.useCoreRollingUpdateMutation();
  const refused = useProblemToast();
  const confirm = async () => {
    const { error } = await renew({ account, model: model.modelName });
    onClose();
    if (!refused(t('renewFailed'), error)) toastDone(t('renewing'));
  };
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('renewTitle', { name: model.modelName })}
      action={t('renew')}
      onConfirm={confirm}
    >
      {t('renewHint')}
    </Confirm>
  );
}

interface DeleteProps {
  account: string;
  model: ModelInfoData;
  opened: boolean;
  onClose: () => void;
  onDeleted?: (() => void) | undefined;
}

function DeleteService({ account, model, opened, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation('Service');
  const navigate = useNavigate();
  const [remove] = coreApi.useCoreDeleteModelMutation();
  const refused = useProblemToast();
  const confirm = async () => {
    const { error } = await remove({ account, model: model.modelName });
    onClose();
    if (refused(t('deleteFailed'), error)) return;
    toastDone(t('deleted', { name: model.modelName }));
    if (onDeleted) onDeleted();
    else void navigate('/workspace', { replace: true });
  };
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('deleteTitle', { name: model.modelName })}
      action={t('delete')}
      typed={model.modelName}
      onConfirm={confirm}
    >
      {t('deleteHint')}
    </Confirm>
  );
}
