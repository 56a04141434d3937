import { Anchor, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';

interface File {
  label: string;
  href: string;
  name: string;
}

/** Files for tools, at addresses that everybody who may see the service can open. */
export function filesOf(account: string, model: string): File[] {
  return [
    {
      label: 'OpenAPI',
      href: `/api/mlpcore/account/${encodeURIComponent(account)}/model/${encodeURIComponent(model)}/api-specification`,
      name: `${model}.openapi.json`,
    },
    { label: 'gRPC (proto)', href: '/api/mlpgateway/gate.proto', name: 'gate.proto' },
  ];
}

export function Downloads({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Service');
  return (
    <Group gap="md">
      <Text size="sm" c="dimmed">
        {t('specification')}
      </Text>
      {filesOf(account, model.modelName).map(({ label, href, name }) => (
        <Anchor key={label} href={href} download={name} size="sm">
          <Group gap={4} wrap="nowrap">
            <IconDownload size={16} aria-hidden />
            {label}
          </Group>
        </Anchor>
      ))}
    </Group>
  );
}
