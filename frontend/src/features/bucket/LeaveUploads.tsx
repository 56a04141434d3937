import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router';

import { Confirm } from '@/components/Confirm';

/** Asks before leaving the page ends uploads. Other folders are the same page. */
export function LeaveUploads({ active }: { active: boolean }) {
  const { t } = useTranslation('Bucket');
  const blocker = useBlocker(({ currentLocation, nextLocation }) => active && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (!active) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [active]);
  return (
    <Confirm opened={blocker.state === 'blocked'} title={t('leaveTitle')} action={t('leave')} onClose={() => blocker.reset?.()} onConfirm={() => blocker.proceed?.()}>
      {t('leaveHint')}
    </Confirm>
  );
}
