import { Box, Button, Group, Image, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';
import { usePageTitle } from '@/components/Page';
import { EXAMPLE_HEIGHT } from '@/features/landing/tried';
import { useBrand } from '@/lib/brand';
import { useSession, useSettings } from '@/lib/session';

const LiveExample = lazy(async () => ({ default: (await import('@/features/landing/LiveExample')).LiveExample }));
const Popular = lazy(async () => ({ default: (await import('@/features/landing/Popular')).Popular }));

const AUDIENCES = ['callers', 'authors', 'operators'] as const;

/** What the platform is, and a service to try at once; with the extended setting also what is popular. */
export function LandingPage() {
  const { data: settings } = useSettings();
  usePageTitle();
  return (
    <Stack gap={40} px={{ base: 16, sm: 24 }} py={40} maw="var(--mlp-page)" mx="auto" w="100%">
      <Hero />
      <Suspense fallback={<Skeleton h={EXAMPLE_HEIGHT} />}>
        <LiveExample />
      </Suspense>
      <Audiences />
      {settings?.isExtendedLanding && (
        <Suspense fallback={<Skeleton h={200} />}>
          <Popular />
        </Suspense>
      )}
    </Stack>
  );
}

function Hero() {
  const { t, i18n } = useTranslation('Landing');
  const { title, text, picture } = useBrand().landing;
  const session = useSession();
  return (
    <Group justify="space-between" align="center" gap={40}>
      <Stack gap="lg" maw={640} align="flex-start" flex="1 1 320px">
        <Title order={1} fz={{ base: 28, sm: 40 }}>
          {title[i18n.language] ?? t('title')}
        </Title>
        <Text size="lg" c="dimmed">
          {text[i18n.language] ?? t('text')}
        </Text>
        <Group>
          <Button component={Link} to="/catalog" size="md">
            {t('browse')}
          </Button>
          {session.state !== 'signed-in' && (
            <Button component="a" href="/c/register" variant="default" size="md">
              {t('signUp')}
            </Button>
          )}
        </Group>
      </Stack>
      {picture && (
        <Box flex="0 1 360px">
          <Image src={picture} alt="" fit="contain" mah={280} />
        </Box>
      )}
    </Group>
  );
}

function Audiences() {
  const { t } = useTranslation('Landing');
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
      {AUDIENCES.map((who) => (
        <Stack key={who} gap={4}>
          <Title order={2} fz="lg">
            {t(`for.${who}.title`)}
          </Title>
          <Text c="dimmed">{t(`for.${who}.text`)}</Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
