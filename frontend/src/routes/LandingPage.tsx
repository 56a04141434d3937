import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { usePageTitle } from '@/components/Page';

export function LandingPage() {
  const { t } = useTranslation('Landing');
  usePageTitle();
  return (
    <Center flex={1} p="xl">
      <Stack gap="lg" maw={640} align="flex-start">
        <Title order={1} fz={{ base: 28, sm: 40 }}>
          {t('title')}
        </Title>
        <Text size="lg" c="dimmed">
          {t('text')}
        </Text>
        <Group>
          <Button component={Link} to="/catalog" size="md">
            {t('browse')}
          </Button>
          <Button component="a" href="/c/register" variant="default" size="md">
            {t('signUp')}
          </Button>
        </Group>
      </Stack>
    </Center>
  );
}
