import { Button, Menu, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { MONOSPACED } from '@/components/code/monospaced';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { overlayPlace } from '@/lib/overlayPlace';

import type { Where } from './where';

/** Adds an instance on the owner's machine: one that connects to the gates, or one that is called over HTTP. */
export function AddExternal(where: Where) {
  const { t } = useTranslation('Diagnostics');
  const [create, { isLoading }] = coreApi.useCoreCreateExternalConnectionMutation();
  const refused = useProblemToast();
  const [byHttp, setByHttp] = useState(false);
  const add = async () => {
    const { error } = await create(where);
    refused(t('failed'), error);
  };
  return (
    <Stack gap={4} align="flex-end">
      <Button.Group>
        <Button leftSection={<IconPlugConnected size={16} aria-hidden />} loading={isLoading} onClick={() => void add()}>
          {t('addExternal')}
        </Button>
        <Menu position="bottom-end" portalProps={{ target: overlayPlace() }}>
          <Menu.Target>
            <Button px={8} aria-label={t('otherWays')}>
              <IconChevronDown size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setByHttp(true)}>{t('addHttp')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      <Text size="xs" c="dimmed">
        {t('addExternalHint')}
      </Text>
      <Modal opened={byHttp} onClose={() => setByHttp(false)} title={t('addHttp')} closeButtonProps={{ 'aria-label': t('App:close') }}>
        <HttpForm where={where} onDone={() => setByHttp(false)} />
      </Modal>
    </Stack>
  );
}

function HttpForm({ where, onDone }: { where: Where; onDone: () => void }) {
  const { t } = useTranslation('Diagnostics');
  const [create, { isLoading, error }] = coreApi.useCoreCreateExternalConnectionMutation();
  const [host, setHost] = useState('');
  const [port, setPort] = useState<number | string>(443);
  const problem = asProblem(error);
  const submit = async () => {
    const result = await create({ ...where, httpHost: host.trim(), httpPort: Number(port) });
    if (!result.error) onDone();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        {problem && <ProblemView problem={problem} />}
        <Text size="sm" c="dimmed">
          {t('addHttpHint')}
        </Text>
        <TextInput label={t('host')} required data-autofocus styles={MONOSPACED} maxLength={253} value={host} onChange={({ currentTarget }) => setHost(currentTarget.value)} />
        <NumberInput label={t('port')} required min={1} max={65_535} allowDecimal={false} value={port} onChange={setPort} />
        <Button type="submit" loading={isLoading} disabled={!host.trim() || port === ''}>
          {t('addHttp')}
        </Button>
      </Stack>
    </form>
  );
}
