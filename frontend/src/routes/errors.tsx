import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';

function Notice({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation('Error');
  return (
    <Center flex={1} p="xl">
      <Stack align="center" gap="sm" ta="center" maw={480}>
        <Title order={1}>{title}</Title>
        <Text c="dimmed">{text}</Text>
        <Button component={Link} to="/catalog">
          {t('toCatalog')}
        </Button>
      </Stack>
    </Center>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation('Error');
  return <Notice title={t('notFound')} text={t('notFoundHint')} />;
}

/** `context` `ip`: the account may not be used from this address. */
export function ForbiddenPage({ context }: { context?: 'ip' | undefined }) {
  const { t } = useTranslation('Error');
  return <Notice title={t('forbidden')} text={t(context === 'ip' ? 'forbiddenAddress' : 'forbiddenHint')} />;
}

export function ForbiddenRoute() {
  const [params] = useSearchParams();
  return <ForbiddenPage context={params.get('context') === 'ip' ? 'ip' : undefined} />;
}
