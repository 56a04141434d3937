import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInstanceData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { overlayPlace } from '@/lib/overlayPlace';

import type { Where } from './where';

interface Props {
  where: Where;
  instance: ModelInstanceData;
  onDetails: () => void;
}

/** Stopping lets an instance finish its calls; forcing does not. */
export function InstanceActions({ where, instance, onDetails }: Props) {
  const { t } = useTranslation('Diagnostics');
  const [stop] = coreApi.useCoreStopInstanceMutation();
  const [terminate] = coreApi.useCoreTerminateInstanceMutation();
  const [forget] = coreApi.useCoreDeleteExternalConnectionMutation();
  const [forced, setForced] = useState(false);
  const refused = useProblemToast();
  const external = instance.instanceHostingType === 'external';
  const which = { ...where, instanceId: instance.id };
  const end = async () => {
    const { error } = external ? await forget(which) : await stop(which);
    refused(t('failed'), error);
  };
  const force = async () => {
    const { error } = await terminate(which);
    refused(t('failed'), error);
    setForced(false);
  };
  return (
    <>
      <Menu position="bottom-end" portalProps={{ target: overlayPlace() }}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('actions', { name: instance.name })}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onDetails}>{t('details')}</Menu.Item>
          <Menu.Item c="red" onClick={() => void end()}>
            {t(external ? 'forget' : 'stop')}
          </Menu.Item>
          {!external && (
            <Menu.Item c="red" onClick={() => setForced(true)}>
              {t('forceStop')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={forced}
        onClose={() => setForced(false)}
        title={t('forceTitle', { name: instance.name })}
        action={t('forceStop')}
        onConfirm={force}
      >
        {t('forceHint')}
      </Confirm>
    </>
  );
}
