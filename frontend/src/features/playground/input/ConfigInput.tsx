import { Button, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustments } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { Json } from '@/components/code/Json';
import { MASK } from '@/lib/format/mask';
import type { Schema } from '@/lib/predict/schema';

import { SchemaHints } from '@/features/playground/SchemaHints';
import type { Tried } from '@/features/playground/tried';
import type { Config } from '@/features/playground/useConfig';

interface Props {
  tried: Tried;
  config: Config;
  schema: Schema | null;
}

/** The config of this call. */
export function ConfigInput({ tried, config, schema }: Props) {
  const { t } = useTranslation('Playground');
  const [opened, { toggle }] = useDisclosure(false);
  const close = () => {
    config.setText('');
    toggle();
  };
  return (
    <Stack gap="xs">
      <Button
        size="xs"
        variant="subtle"
        w="fit-content"
        leftSection={<IconAdjustments size={16} aria-hidden />}
        aria-expanded={opened}
        onClick={opened ? close : toggle}
      >
        {t(opened ? 'withoutConfig' : 'withConfig')}
      </Button>
      {opened && (
        <>
          {tried.owner && <Stored tried={tried} onChoose={config.setText} />}
          <Json value={config.text} label={t('config')} onChange={config.setText} />
          {!config.value.ok && (
            <Text size="sm" c="red">
              {t('notJson')}
            </Text>
          )}
          {config.text.includes(MASK) && (
            <Text size="sm" c="red">
              {t('hiddenValues')}
            </Text>
          )}
          {schema && (
            <SchemaHints
              schema={schema}
              value={config.value.ok ? (config.value.value ?? {}) : undefined}
              onExample={(value) => config.setText(JSON.stringify(value, null, 2))}
            />
          )}
        </>
      )}
    </Stack>
  );
}

function Stored({ tried: { account, model }, onChoose }: { tried: Tried; onChoose: (text: string) => void }) {
  const { t } = useTranslation('Playground');
  const { data = [] } = coreApi.useCoreListPredictConfigsQuery({ account, model });
  if (data.length === 0) return null;
  const choose = (id: string | null) => {
    const found = data.find((one) => String(one.id.configId) === id);
    if (found) onChoose(found.config);
  };
  return (
    <Select
      aria-label={t('stored')}
      placeholder={t('stored')}
      data={data.map(({ id, name }) => ({ value: String(id.configId), label: name }))}
      onChange={choose}
    />
  );
}
