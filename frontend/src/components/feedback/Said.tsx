import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { textOf } from '@/lib/problems/words';
import { useProblemTexts } from '@/lib/problems/texts';

import classes from './ProblemDetails.module.css';

interface Props {
  /** `event` of a service's log, or `reason` of an instance's state. */
  kind: 'event' | 'reason';
  code: string;
  args?: Readonly<Record<string, unknown>>;
  /** The server's English text, shown where there is no other. */
  message: string | null;
}

/** What the server recorded, in the reader's language; its own words are behind "details". */
export function Said({ kind, code, args = {}, message }: Props) {
  const { t } = useTranslation('Error');
  const language = useProblemTexts();
  const values = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
  const text = textOf(language, `${kind}.${code}`, values);
  if (!text) return message || code;
  return (
    <>
      {text}
      {message && message !== text && (
        <details className={classes.details}>
          <summary className={classes.summary}>{t('details')}</summary>
          <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {code}: {message}
          </Text>
        </details>
      )}
    </>
  );
}
