import { useDebouncedValue } from '@mantine/hooks';

import { coreApi } from '@/api';
import type { ModelLimitsData } from '@/api/generated/core.gen';

const TYPING_MS = 300;
const POLL = { pollingInterval: 5000, skipPollingIfUnfocused: true };

export interface RoomQuestion {
  account: string;
  /** Null: the account's default group. */
  group: string | null;
  /** Null: not complete. */
  limits: ModelLimitsData | null;
  startTimeoutSec: number | undefined;
}

/** What a group has left for an instance with these needs. Components that ask the same share one request. */
export function useRoom({ account, group, limits, startTimeoutSec }: RoomQuestion) {
  const [asked] = useDebouncedValue(limits, TYPING_MS);
  const placementPreviewRequest = { resourceGroup: group, resourceLimits: asked ?? {}, ...(startTimeoutSec === undefined ? {} : { startTimeoutSec }) };
  return coreApi.useCorePreviewPlacementQuery({ account, placementPreviewRequest }, { ...POLL, skip: asked === null });
}
