import { Stack, Text } from '@mantine/core';

import type { InstanceStateWaiting } from '@/api/generated/core.gen';
import { useProblemTexts } from '@/lib/problems/texts';
import { textOf } from '@/lib/problems/words';
import { waitCauseOf } from '@/lib/waiting';

import { Lacking } from './Lacking';
import { LimitReached } from './LimitReached';
import { Said } from './Said';

/** Why an instance has no server: what the servers of the group lack, or which limit of the account stands against it. */
export function WaitingReason({ waiting: { reason, message, details } }: { waiting: InstanceStateWaiting }) {
  const language = useProblemTexts();
  const lacking = details?.lacking ?? [];
  if (lacking.length === 0 && !details?.limit) return <Said kind="reason" code={reason ?? ''} message={message} />;
  const cause = details?.limit ? 'limit' : waitCauseOf(lacking);
  return (
    <Stack gap={4}>
      <Text size="sm">{textOf(language, `waitCause.${cause}`)}</Text>
      {details?.limit && <LimitReached limit={details.limit} />}
      {lacking.length > 0 && cause !== 'silent' && <Lacking servers={details?.servers ?? 0} lacking={lacking} />}
    </Stack>
  );
}
