import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api/first';

import { LaterProblemSummary } from './LaterProblems';
import { toastError, toastErrorOnce } from './Toasts';

/** The server's message, and those of its arguments that the message does not contain. */
export function problemText({ message, args }: { message: string; args: Record<string, string> }): string {
  const others = Object.values(args).filter((text) => text && !message.includes(text));
  return [message, ...others].filter(Boolean).join(' ');
}

/** Returns `true` if there was an error. `once`: not again within half a minute. */
export function useProblemToast(): (
  title: string,
  error: Parameters<typeof asProblem>[0],
  how?: { once?: boolean },
) => boolean {
  const { t } = useTranslation('Error');
  return (title, error, { once = false } = {}) => {
    const problem = asProblem(error);
    if (!problem) return false;
    const said = problem.status === 0 ? t('noAnswer') : problemText(problem) || problem.code;
    const shown = <LaterProblemSummary problem={problem} fallback={`${t('message')} ${said}`} />;
    if (once) toastErrorOnce(title, `${problem.code}\n${said}`, undefined, shown);
    else toastError(title, shown);
    return true;
  };
}
