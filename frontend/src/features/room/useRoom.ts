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
  /** The address that instances run; none: any server can run it. */
  image?: string | null | undefined;
  /** They read data images, which not every server can mount. */
  mountsDataImages?: boolean;
}

/** What a group has left for an instance with these needs. Components that ask the same share one request. */
export function useRoom({ account, group, limits, startTimeoutSec, image, mountsDataImages }: RoomQuestion) {
  const [asked] = useDebouncedValue(limits, TYPING_MS);
  const given = {
    ...(startTimeoutSec === undefined ? {} : { startTimeoutSec }),
    ...(image ? { image } : {}),
    ...(mountsDataImages ? { mountsDataImages } : {}),
  };
  const placementPreviewRequest = { resourceGroup: group, resourceLimits: asked ?? {}, ...given };
  return coreApi.useCorePreviewPlacementQuery({ account, placementPreviewRequest }, { ...POLL, skip: asked === null });
}
