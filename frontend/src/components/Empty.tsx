import { Box, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { lazy, type ReactNode, Suspense } from 'react';

/** Most empty lists have no command, so a first visit does not load it. */
const CodeBlock = lazy(async () => ({ default: (await import('./code/CodeBlock')).CodeBlock }));

interface Props {
  title: string;
  /** What would be here, and why nothing is. */
  children?: ReactNode;
  /** The next step. */
  action?: ReactNode;
  /** A command that does the same. */
  code?: string | undefined;
}

/** An empty list explains what it would contain, and offers one next step. */
export function Empty({ title, children, action, code }: Props) {
  const { t } = useTranslation('App');
  return (
    <Stack align="center" gap="sm" py={64} ta="center">
      <Title order={3}>{title}</Title>
      {typeof children === 'string' ? (
        <Text c="dimmed" maw={480}>
          {children}
        </Text>
      ) : (
        children
      )}
      {action}
      {code && (
        <Box maw="100%" w={560} ta="left" mt="xs">
          <Suspense fallback={<Skeleton h={44} />}>
            <CodeBlock code={code} label={t('code')} />
          </Suspense>
        </Box>
      )}
    </Stack>
  );
}
