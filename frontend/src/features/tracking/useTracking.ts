import { useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'react-router';

import { firstApi } from '@/api/first';
import type { ClickHistoryData } from '@/api/generated/core.gen';
import { BatchQueue } from '@/lib/predict/batchQueue';
import { useSession, useSettings } from '@/lib/session';

import { clicked, clickEvent, navigationEvent } from './events';

const AT_MOST_EVERY_MS = 5000;

/** Records clicks and navigation, if the installation enables it and the user is signed in. */
export function useTracking(): void {
  const session = useSession();
  const { data: settings } = useSettings();
  const [save] = firstApi.useCoreSaveClicksMutation();
  const { pathname } = useLocation();
  const before = useRef(pathname);
  const on = session.state === 'signed-in' && settings?.saveClicksEnabled === true;
  const accountId = session.state === 'signed-in' ? session.accountId : null;
  const queue = useMemo(
    () => new BatchQueue<ClickHistoryData>((body) => void save({ body }), AT_MOST_EVERY_MS),
    [save],
  );
  useEffect(() => {
    if (!on) return undefined;
    const note = ({ target }: MouseEvent) => {
      const what = clicked(target);
      if (what) queue.push(clickEvent(accountId, window.location.href, what, Date.now()));
    };
    document.addEventListener('click', note, { capture: true });
    return () => document.removeEventListener('click', note, { capture: true });
  }, [on, accountId, queue]);
  useEffect(() => {
    const from = before.current;
    before.current = pathname;
    if (on && from !== pathname) queue.push(navigationEvent(accountId, from, window.location.href, Date.now()));
  }, [on, accountId, pathname, queue]);
}
