import { Stack, Text } from '@mantine/core';

import type { Problem } from '@/api';

import { useProblemTexts } from '@/lib/problems/texts';
import { fieldText, wordsOf } from '@/lib/problems/words';

import { Faults } from './Faults';
import { ProblemDetails } from './ProblemDetails';

interface Props {
  problem: Problem;
  /** Fields that show their errors themselves. */
  except?: readonly string[];
  /** Shown if there is no text for the error; default: the server's message. */
  fallback?: string;
  /** Shown instead of the title. */
  heading?: string;
}

/** An error inside a toast or a form. */
export function ProblemSummary({ problem, except = [], fallback, heading }: Props) {
  const { known, title, text, faults } = wordsOf(problem, useProblemTexts());
  const said = known ? text : (fallback ?? text ?? title);
  return (
    <Stack gap={4} align="flex-start" style={{ overflowWrap: 'anywhere' }}>
      {(heading ?? known) && (
        <Text component="span" inherit fw={600}>
          {heading ?? title}
        </Text>
      )}
      {said && (
        <Text component="span" inherit>
          {said}
        </Text>
      )}
      <Faults faults={faults.filter(({ path }) => !except.includes(path))} />
      <ProblemDetails problem={problem} said={text} />
    </Stack>
  );
}

/** The error of one field, where the form shows it. */
export function FieldProblem({ problem, path, message }: { problem: Problem; path: string; message: string }) {
  return fieldText(problem, path, message, useProblemTexts());
}

/** Errors of one field and of its entries, as paths with messages; what they have in common is said once. */
export function FieldProblems({ problem, messages }: { problem: Problem; messages: readonly [string, string][] }) {
  const texts = useProblemTexts();
  return [...new Set(messages.map(([path, message]) => fieldText(problem, path, message, texts)))].join(' ');
}
