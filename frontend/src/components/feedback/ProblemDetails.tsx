import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';

import { Copy } from '@/components/code/Copy';

import classes from './ProblemDetails.module.css';

/** The error as the server sent it, for support: code, message, arguments and request id. `said`: is on the screen already. */
export function ProblemDetails({ problem, said }: { problem: Problem; said: string | null }) {
  const { t } = useTranslation('Error');
  const facts = factsOf(problem);
  return (
    <details className={classes.details}>
      <summary className={classes.summary}>{t('details')}</summary>
      <dl className={classes.facts}>
        {facts
          .filter(([, text]) => text !== said)
          .map(([name, text]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
      </dl>
      <Copy value={facts.map(([name, text]) => `${name}: ${text}`).join('\n')} label={t('copyDetails')} />
    </details>
  );
}

/** Names are those of the wire, the same in every language. */
function factsOf({ code, status, message, args, requestId }: Problem): [string, string][] {
  const facts: [string, string | null][] = [
    ['code', code],
    ['status', status ? String(status) : null],
    ['message', message],
    // Of invalid input the message holds the arguments already.
    ...Object.entries(args)
      .filter(([, text]) => !message.includes(text))
      .map(([name, text]): [string, string] => [`args.${name}`, text]),
    ['requestId', requestId],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}
