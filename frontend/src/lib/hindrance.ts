import type { ModelInfoData } from '@/api/generated/core.gen';

import type { Session } from './session';

export type Hindrance = 'signedOut' | 'noAccount' | 'notAllowed';

/** Why the user cannot try a service; null if they can. The gateway checks required features. */
export function hindranceOf(
  session: Session,
  model: { id: ModelInfoData['id']; publicSettings: Pick<ModelInfoData['publicSettings'], 'publicTestingAllowed'> },
): Hindrance | null {
  if (session.state !== 'signed-in') return 'signedOut';
  if (session.accountId === null) return 'noAccount';
  const own = session.accountId === model.id.accountId;
  return own || model.publicSettings.publicTestingAllowed ? null : 'notAllowed';
}

/** Whether somebody who is not signed in may call it, a few times. */
export function isOpenToVisitors({
  publicSettings,
}: {
  publicSettings: Pick<ModelInfoData['publicSettings'], 'visitorCallsPerDay'>;
}): boolean {
  return (publicSettings.visitorCallsPerDay ?? 0) > 0;
}
