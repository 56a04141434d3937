import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { UploadFault } from '@/lib/uploads/faults';
import { useFaultText } from '@/lib/uploads/useFaultText';

import classes from './bucket.module.css';

const NAMED = 10;
const WAYS = { tooLarge: 'inParts', noRoom: 'makeRoom' } as const;

/** Files that were refused before they were sent, why, and what to do. */
export function Refused({ faults, onClose }: { faults: readonly UploadFault[]; onClose: () => void }) {
  const { t } = useTranslation('Bucket');
  const textOf = useFaultText();
  if (faults.length === 0) return null;
  const ways = (['tooLarge', 'noRoom'] as const).filter((kind) => faults.some((fault) => fault.kind === kind));
  return (
    <Alert
      color="red"
      role="alert"
      title={t('refused')}
      withCloseButton
      closeButtonLabel={t('hideRefused')}
      onClose={onClose}
    >
      <ul className={classes.named}>
        {faults.slice(0, NAMED).map((fault) => (
          <li key={textOf(fault)}>{textOf(fault)}</li>
        ))}
        {faults.length > NAMED && <li>{t('moreFiles', { count: faults.length - NAMED })}</li>}
      </ul>
      {ways.map((kind) => (
        <Text key={kind} size="sm">
          {t(WAYS[kind])}
        </Text>
      ))}
    </Alert>
  );
}
