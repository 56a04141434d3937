import { Button, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { FormEvent, ReactNode } from 'react';

import { FormBanner } from '@/components/feedback/FormBanner';
import type { Refusal } from '@/components/feedback/useFormRefusal';
import { useBrand } from '@/lib/brand';

import { TurnBanner } from './TurnBanner';
import type { Turn } from './useTurn';

interface Props {
  title: string;
  /** Label of the button; default: the title. */
  action?: string;
  busy: boolean;
  disabled?: boolean;
  refusal: Refusal;
  turn?: Turn;
  onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
  foot?: ReactNode;
}

/** A form of the sign-in pages: title, refusal, fields, one button, links. */
export function EntryForm({
  title,
  action = title,
  busy,
  disabled = false,
  refusal,
  turn,
  onSubmit,
  children,
  foot,
}: Props) {
  useDocumentTitle(`${title} · ${useBrand().title}`);
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <Title order={1} fz={20}>
          {title}
        </Title>
        <FormBanner refusal={refusal} />
        {turn && <TurnBanner turn={turn} />}
        {children}
        <Button type="submit" loading={busy} disabled={disabled || (turn?.seconds ?? 0) > 0}>
          {action}
        </Button>
        {foot}
      </Stack>
    </form>
  );
}
