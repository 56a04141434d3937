import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { isChunkFailure, reloadOnce } from '@/lib/chunks';

interface State {
  error: Error | null;
}

/** Catches defects of pages: shows a text and a retry button instead of a blank page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch(error: Error): void {
    // A page of an older build requests files that a newer build has replaced.
    if (isChunkFailure(error)) reloadOnce(sessionStorage, () => location.reload());
  }

  override render(): ReactNode {
    return this.state.error ? <Broken again={() => this.setState({ error: null })} /> : this.props.children;
  }
}

export function Broken({ again }: { again: () => void }) {
  const { t } = useTranslation('Error');
  return (
    <Center mih="60vh" role="alert">
      <Stack align="center" gap="sm">
        <Title order={2}>{t('broken')}</Title>
        <Text c="dimmed">{t('brokenHint')}</Text>
        <Button onClick={again}>{t('again')}</Button>
      </Stack>
    </Center>
  );
}
