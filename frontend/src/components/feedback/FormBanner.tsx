import { Alert } from '@mantine/core';

import { ProblemSummary } from './ProblemSummary';
import type { Refusal } from './useFormRefusal';

export function FormBanner({ refusal: { problem, fields } }: { refusal: Refusal }) {
  return problem ? (
    <Alert color="red" role="alert">
      <ProblemSummary problem={problem} except={fields} />
    </Alert>
  ) : null;
}
