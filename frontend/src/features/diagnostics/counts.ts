import type { InstancesStatusData } from '@/api/generated/core.gen';

/** For external instances only the wanted number is known here; the table shows which are connected. */
export function countsOf(
  status: InstancesStatusData | undefined,
  external: boolean,
): { active: number | null; wanted: number; failing: number } {
  if (external) return { active: null, wanted: status?.externalRequested ?? 0, failing: 0 };
  return {
    active: (status?.hostingServerActive ?? 0) + (status?.internalActive ?? 0),
    wanted: (status?.hostingServerRequested ?? 0) + (status?.internalRequested ?? 0),
    failing: status?.internalInError ?? 0,
  };
}
