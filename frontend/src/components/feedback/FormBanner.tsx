import { Alert } from '@mantine/core';

import type { Refusal } from './useFormRefusal';

export function FormBanner({ refusal }: { refusal: Refusal }) {
  return refusal.banner ? (
    <Alert color="red" role="alert">
      {refusal.banner}
    </Alert>
  ) : null;
}
