import { Alert, Button, Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useModal } from '@/lib/modals';
import { useRightName } from '@/lib/rights';

/** Says which right is missing, and for which fields if others are open; asks the team for it. */
export function MissingRight({ right, fields = [] }: { right: string; fields?: readonly string[] }) {
  const { t } = useTranslation('Rights');
  const name = useRightName();
  const { open } = useModal();
  return (
    <Alert variant="light" color="gray" icon={<IconLock size={18} aria-hidden />} mb="sm" p="sm">
      <Group justify="space-between" gap="xs">
        <Text flex="1 1 240px">
          {t(fields.length ? 'neededFor' : 'needed', { right: name(right), fields: fields.join(', ') })}
        </Text>
        <Button size="xs" variant="default" onClick={() => open('access', right)}>
          {t('ask')}
        </Button>
      </Group>
    </Alert>
  );
}

/** Says that the user's role in the account does not allow changes. */
export function MissingRole({ needed }: { needed: 'developer' | 'owner' }) {
  const { t } = useTranslation('Rights');
  return (
    <Alert variant="light" color="gray" icon={<IconLock size={18} aria-hidden />} mb="sm" p="sm">
      {t(`role.${needed}`)}
    </Alert>
  );
}
