import { useState } from 'react';

import { versionApi } from '@/api/byHand';
import { useSettings } from '@/lib/session';

const NEVER = 'new-build-never';
const MINUTE_MS = 60_000;

export interface BuildQuestion {
  server: string | undefined;
  running: string;
  /** A dismissed build; the next one is announced again. */
  dismissed: string | null;
  never: boolean;
}

export function isNewBuild({ server, running, dismissed, never }: BuildQuestion): boolean {
  return !never && server !== undefined && server !== '' && server !== running && server !== dismissed;
}

/** Whether the server has another build than the running one; checked often where pages change often. */
export function useNewBuild(running: string = BUILD_FACTS.buildNumber) {
  const { data: settings } = useSettings();
  const [never, setNever] = useState(() => localStorage.getItem(NEVER) !== null);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const pollingInterval = settings?.envName === 'production' ? 3 * MINUTE_MS : MINUTE_MS;
  const { data } = versionApi.useRunningBuildQuery(undefined, {
    pollingInterval,
    skipPollingIfUnfocused: true,
    skip: never,
  });
  const server = data?.buildNumber;
  return {
    found: isNewBuild({ server, running, dismissed, never }),
    dismiss: () => setDismissed(server ?? null),
    never: () => {
      localStorage.setItem(NEVER, 'yes');
      setNever(true);
    },
  };
}
