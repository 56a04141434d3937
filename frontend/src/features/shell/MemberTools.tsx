import type { SignedIn } from '@/lib/session';

import { AccountMenu } from './AccountMenu';
import { AccountSwitch } from './AccountSwitch';
import { BalanceMenu } from './BalanceMenu';

/** What the header holds for people who are signed in; on a phone the menu has the rest. */
export default function MemberTools({ session, narrow }: { session: SignedIn; narrow: boolean }) {
  return (
    <>
      {session.accountId !== null && !session.isSuperadmin && <BalanceMenu accountId={session.accountId} />}
      {!narrow && <AccountSwitch user={session.user} />}
      {!narrow && <AccountMenu session={session} />}
    </>
  );
}
