import { NotificationsPopover } from '@/features/notifications/NotificationsPopover';
import { TasksPopover } from '@/features/tasks/TasksPopover';
import type { SignedIn } from '@/lib/session';

import { AccountMenu } from './AccountMenu';
import { AccountSwitch } from './AccountSwitch';
import { BalanceMenu } from './BalanceMenu';
import { useFavicon } from './useFavicon';

/** Parts of the header for signed-in people; on phones the menu has the rest. */
export default function MemberTools({ session, narrow }: { session: SignedIn; narrow: boolean }) {
  return (
    <>
      {session.accountId !== null && !session.isSuperadmin && (
        <BalanceMenu session={session} accountId={session.accountId} narrow={narrow} />
      )}
      {session.accountId !== null && <Favicon account={String(session.accountId)} />}
      {session.accountId !== null && <TasksPopover />}
      {session.accountId !== null && <NotificationsPopover account={String(session.accountId)} />}
      {!narrow && <AccountSwitch user={session.user} />}
      {!narrow && <AccountMenu session={session} />}
    </>
  );
}

function Favicon({ account }: { account: string }) {
  useFavicon(account);
  return null;
}
