import { Stack, Text } from '@mantine/core';

import type { ShortJobView } from '@/api/generated/core.gen';
import { ProblemDetails } from '@/components/feedback/ProblemDetails';
import { useProblemTexts } from '@/lib/problems/texts';
import { wordsOf } from '@/lib/problems/words';

/** Why a task failed, in the reader's language; what the platform recorded is behind "details". */
export function TaskError({ task }: { task: ShortJobView }) {
  const language = useProblemTexts();
  const { errorCode, errorArgs, errorMessage } = task;
  if (!errorMessage) return null;
  if (!errorCode) return <Line text={errorMessage} />;
  const problem = { code: errorCode, status: 0, message: errorMessage, args: errorArgs, requestId: null };
  const { known, title, text } = wordsOf(problem, language);
  if (!known) return <Line text={errorMessage} />;
  return (
    <Stack gap={0}>
      <Line text={title} />
      {text && (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      )}
      {errorMessage !== text && <ProblemDetails problem={problem} said={text} />}
    </Stack>
  );
}

function Line({ text }: { text: string }) {
  return (
    <Text size="xs" c="red" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  );
}
