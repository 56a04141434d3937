import { Text } from '@mantine/core';

import type { Problem } from '@/api';
import { ProblemSummary } from '@/components/feedback/ProblemSummary';
import { refusedFault } from '@/lib/uploads/faults';
import { useFaultText } from '@/lib/uploads/useFaultText';

interface Props {
  problem: Problem;
  /** What was sent. */
  file: Pick<File, 'name' | 'size'>;
}

/** The server's refusal of a file, in the words of what is refused before it is sent; then what else the error says. */
export function UploadRefusal({ problem, file }: Props) {
  const textOf = useFaultText();
  const fault = refusedFault(problem, file);
  const said = textOf(fault);
  if (fault.kind !== 'failed') return <ProblemSummary problem={problem} heading={said} />;
  return (
    <>
      <Text component="span" inherit fw={600} display="block" style={{ overflowWrap: 'anywhere' }}>
        {said}
      </Text>
      <ProblemSummary problem={problem} />
    </>
  );
}
