import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { Confirm } from '@/components/Confirm';
import { useLeaving } from '@/lib/leaving';

/** Asks before leaving the page ends uploads. Other folders are the same page. */
export function LeaveUploads({ active }: { active: boolean }) {
  const { t } = useTranslation('Bucket');
  const leaving = useLeaving(active);
  useEffect(() => {
    if (!active) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [active]);
  return (
    <Confirm
      opened={leaving !== null}
      title={t('leaveTitle')}
      action={t('leave')}
      onClose={() => leaving?.stay()}
      onConfirm={() => leaving?.go()}
    >
      {t('leaveHint')}
    </Confirm>
  );
}
