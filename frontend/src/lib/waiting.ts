import type { InstanceStateWaiting, LackData, ModelInfoData } from '@/api/generated/core.gen';

/** Reasons that no room on a server would change. */
const OTHERS: readonly (string | null)[] = ['NoImage', 'NoResourceGroup'];
/** Lacks that stay, whatever other instances hold. */
const UNUSABLE: readonly LackData['what'][] = ['heartbeat', 'availability', 'lifetime', 'image', 'labels', 'gpu', 'gpuModel'];

/** The state of a service or an instance as a reader should see it: one that waits for room on a server does not start yet. */
export function stateWith(state: string, waiting: InstanceStateWaiting | null | undefined): string {
  if (!waiting || (state !== 'STARTING' && state !== 'WAITING')) return state;
  return OTHERS.includes(waiting.reason) ? 'WAITING' : 'WAITING_FOR_ROOM';
}

/** The state of a service in a list: it does not start while no server takes any of its instances. */
export function stateOf({ state, waitsForServer }: Pick<ModelInfoData, 'state' | 'waitsForServer'>): string {
  return state === 'STARTING' && waitsForServer ? 'WAITING' : state;
}

export type WaitCause = 'silent' | 'unsuitable' | 'room';

/** Why no server takes an instance, all in all: none answers, none suits the service, or those that do have no room. */
export function waitCauseOf(lacking: readonly LackData[]): WaitCause {
  if (lacking.every(({ what }) => what === 'heartbeat')) return 'silent';
  return lacking.every(({ what }) => UNUSABLE.includes(what)) ? 'unsuitable' : 'room';
}
