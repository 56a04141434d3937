import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';

import { useProblemTexts } from '@/lib/problems/texts';
import { wordsOf } from '@/lib/problems/words';

import { Faults } from './Faults';
import { ProblemDetails } from './ProblemDetails';

/** Shows what happened and what to do; what the server sent is behind "details". */
export function ProblemView({ problem, again }: { problem: Problem; again?: () => void }) {
  const { t } = useTranslation('Error');
  const { title, text, faults } = wordsOf(problem, useProblemTexts());
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={title}
      role="alert"
      tabIndex={-1}
      data-problem
    >
      <Stack gap="xs" align="flex-start">
        {text && (
          <Text size="md" style={{ overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        )}
        <Faults faults={faults} />
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            {t('again')}
          </Button>
        )}
        <ProblemDetails problem={problem} said={text} />
      </Stack>
    </Alert>
  );
}
