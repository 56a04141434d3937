import { Button, Menu, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconChevronDown, IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { MONOSPACED } from '@/components/code/monospaced';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
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
        <Button
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={isLoading}
          onClick={() => void add()}
        >
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
      <Modal
        opened={byHttp}
        onClose={() => setByHttp(false)}
        title={t('addHttp')}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        <HttpForm where={where} onDone={() => setByHttp(false)} />
      </Modal>
    </Stack>
  );
}

function HttpForm({ where, onDone }: { where: Where; onDone: () => void }) {
  const { t } = useTranslation('Diagnostics');
  const [create, { isLoading }] = coreApi.useCoreCreateExternalConnectionMutation();
  const form = useForm<{ host: string; port: number | string }>({ initialValues: { host: '', port: 443 } });
  const refusal = useFormRefusal(form, { httpHost: 'host', httpPort: 'port' });
  const submit = form.onSubmit(async ({ host, port }) => {
    refusal.clear();
    const { error } = await create({ ...where, httpHost: host.trim(), httpPort: Number(port) });
    if (!refusal.show(error)) onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <Text size="sm" c="dimmed">
          {t('addHttpHint')}
        </Text>
        <TextInput
          label={t('host')}
          required
          data-autofocus
          styles={MONOSPACED}
          maxLength={253}
          {...form.getInputProps('host')}
        />
        <NumberInput
          label={t('port')}
          required
          min={1}
          max={65_535}
          allowDecimal={false}
          {...form.getInputProps('port')}
        />
        <Button type="submit" loading={isLoading} disabled={!form.values.host.trim() || form.values.port === ''}>
          {t('addHttp')}
        </Button>
      </Stack>
    </form>
  );
}
