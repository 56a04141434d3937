import type { InstanceStateWaiting, LackData, ModelInfoData, StartData } from '@/api/generated/core.gen';

/** Reasons that no room on a server would change. */
const OTHERS: readonly (string | null)[] = ['NoImage', 'NoResourceGroup', 'RestrictedImage'];
/** Lacks that stay, whatever other instances hold. */
const UNUSABLE: readonly LackData['what'][] = [
  'heartbeat',
  'availability',
  'lifetime',
  'image',
  'labels',
  'gpu',
  'gpuModel',
];

/** Null: nothing is known to start. Undefined: a server of the previous release tells nothing of starts. */
type Start = StartData | null | undefined;

/** Whether no server takes what should start. */
export const waitsForServer = ({ phase }: Pick<StartData, 'phase'>): boolean => phase === 'WAITING_FOR_SERVER';

/** The state of a service or an instance as a reader should see it: it starts if something does, also while another instance waits for room. */
export function stateWith(state: string, waiting: InstanceStateWaiting | null | undefined, start?: Start): string {
  if (state !== 'STARTING' && state !== 'WAITING') return state;
  if (start && !waitsForServer(start)) return 'STARTING';
  if (waiting) return OTHERS.includes(waiting.reason) ? 'WAITING' : 'WAITING_FOR_ROOM';
  return start === null ? 'WAITING' : state;
}

/** The state of a service in a list: it does not start while no server takes any of its instances, or nothing is known to start. */
export function stateOf({
  state,
  waitsForServer: waits,
  start,
}: Pick<ModelInfoData, 'state' | 'waitsForServer'> & { start?: Start }): string {
  return state === 'STARTING' && (waits || start === null) ? 'WAITING' : state;
}

export type WaitCause = 'silent' | 'unsuitable' | 'room';

/** Why no server takes an instance, all in all: none answers, none suits the service, or those that do have no room. */
export function waitCauseOf(lacking: readonly LackData[]): WaitCause {
  if (lacking.every(({ what }) => what === 'heartbeat')) return 'silent';
  return lacking.every(({ what }) => UNUSABLE.includes(what)) ? 'unsuitable' : 'room';
}
