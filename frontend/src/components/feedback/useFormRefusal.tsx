import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';

import { asProblem, type Problem, splitByField } from '@/api';

import { FieldProblems } from './ProblemSummary';

/** Shows a server's refusal of a form at the fields that it names, and the rest in one banner. */
export interface Refusal {
  /** What the banner says; null if the fields say all. */
  problem: Problem | null;
  /** The server's names of the fields that show their errors themselves. */
  fields: readonly string[];
  /** How often the form was refused; each time, the banner brings the first error into view. */
  count: number;
  /** Returns false if there was no error. */
  show: (error: Parameters<typeof asProblem>[0]) => boolean;
  /** For a form that was not sent, since its own checks found errors: the second argument of `form.onSubmit`. */
  showInvalid: () => void;
  clear: () => void;
}

type Shown = Pick<Refusal, 'problem' | 'fields' | 'count'>;

const NOTHING = { problem: null, fields: [] };

/** `paths` maps the server's field names to the form's where they differ; `name.*` stands for the entries of a list. */
export function useFormRefusal<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  paths: Partial<Record<string, string>> = {},
): Refusal {
  const [shown, setShown] = useState<Shown>({ ...NOTHING, count: 0 });
  const fieldOf = (path: string): string | undefined =>
    paths[path] ?? paths[path.replace(/\.\d+(\..+)?$/, '.*')] ?? (path in form.getValues() ? path : undefined);
  const show: Refusal['show'] = (error) => {
    const problem = asProblem(error);
    if (!problem) return false;
    const known = [...Object.keys(problem.args), ...Object.keys(form.getValues()), ...Object.keys(paths)].filter(
      (path) => fieldOf(path) !== undefined,
    );
    const { fields, rest } = splitByField(problem, known);
    const errors: Record<string, [string, string][]> = {};
    for (const [path, message] of Object.entries(fields)) (errors[fieldOf(path) ?? path] ??= []).push([path, message]);
    form.setErrors(
      Object.fromEntries(
        Object.entries(errors).map(([field, messages]) => [
          field,
          <FieldProblems key={field} problem={problem} messages={messages} />,
        ]),
      ),
    );
    setShown(({ count }) => ({ problem: rest ? problem : null, fields: Object.keys(fields), count: count + 1 }));
    return true;
  };
  return {
    ...shown,
    show,
    showInvalid: () => setShown(({ count }) => ({ ...NOTHING, count: count + 1 })),
    clear: () => setShown(({ count }) => ({ ...NOTHING, count })),
  };
}
