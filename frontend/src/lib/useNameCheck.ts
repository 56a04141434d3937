import { useDebouncedValue } from '@mantine/hooks';

import { askedApi } from '@/api';

const DELAY_MS = 300;

export type NameState = 'empty' | 'checking' | 'refused' | 'free';

/** Whether a service can have this name; asks the server when the typing pauses. */
export function useNameCheck(name: string): { state: NameState; reason: string | null } {
  const [settled] = useDebouncedValue(name, DELAY_MS);
  const { data, isFetching, isError } = askedApi.useNameAvailabilityQuery({ modelName: settled }, { skip: !settled });
  if (!name) return { state: 'empty', reason: null };
  if (settled !== name || isFetching) return { state: 'checking', reason: null };
  if (isError) return { state: 'refused', reason: null };
  return data?.available ? { state: 'free', reason: null } : { state: 'refused', reason: data?.reason ?? null };
}
