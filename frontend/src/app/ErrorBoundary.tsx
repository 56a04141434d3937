import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { isChunkFailure, reloadOnce } from '@/lib/chunks';

interface Props {
  /** What is shown: anything else is tried anew. */
  place?: string;
  /** Default: renders again. */
  onAgain?: () => void;
  children: ReactNode;
}

interface State {
  error: Error | null;
  place?: string | undefined;
}

/** Catches defects of pages: shows a text and a retry button instead of a blank page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    return place === state.place ? null : { error: null, place };
  }

  static getDerivedStateFromError(error: Error): Pick<State, 'error'> {
    return { error };
  }

  override componentDidCatch(error: Error): void {
    // A page of an older build requests files that a newer build has replaced.
    if (isChunkFailure(error)) reloadOnce(sessionStorage, () => location.reload());
  }

  override render(): ReactNode {
    const { children, onAgain = () => this.setState({ error: null }) } = this.props;
    return this.state.error ? <Broken again={onAgain} /> : children;
  }
}

function Broken({ again }: { again: () => void }) {
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
