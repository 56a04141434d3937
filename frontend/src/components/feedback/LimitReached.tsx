import { Text } from '@mantine/core';

import type { ExceededLimitData } from '@/api/generated/core.gen';
import { useProblemTexts } from '@/lib/problems/texts';
import { valuesOf } from '@/lib/problems/values';
import { textOf } from '@/lib/problems/words';

const CODE = 'mlp.core.resource_limit_exceeded';

/** A limit of the account that one more instance would exceed, its value and what is used of it. */
export function LimitReached({ limit }: { limit: ExceededLimitData }) {
  const language = useProblemTexts();
  return <Text size="sm">{textOf(language, `code.${CODE}.text`, valuesOf(CODE, { ...limit }, language))}</Text>;
}
