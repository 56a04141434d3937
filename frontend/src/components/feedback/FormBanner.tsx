import { Alert } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

import { showFault } from '@/lib/showFault';

import { ProblemSummary } from './ProblemSummary';
import type { Refusal } from './useFormRefusal';

/** Says what no field says. After each refusal it brings the first error of the form around it into view. */
export function FormBanner({
  refusal: { problem, fields, count },
  children,
}: {
  refusal: Pick<Refusal, 'problem' | 'fields' | 'count'>;
  /** Said instead of the problem's own words. */
  children?: ReactNode;
}) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const form = place.current?.closest('form') ?? place.current?.parentElement;
    if (count && form) showFault(form);
  }, [count]);
  return (
    <>
      <span ref={place} hidden />
      {problem && (
        <Alert color="red" role="alert" tabIndex={-1} data-problem>
          {children ?? <ProblemSummary problem={problem} except={fields} />}
        </Alert>
      )}
    </>
  );
}
