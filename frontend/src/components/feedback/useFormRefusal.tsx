import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';

import { asProblem, type Problem, splitByField } from '@/api';

import { FieldProblem } from './ProblemSummary';

/** Shows a server's refusal of a form at the fields that it names, and the rest in one banner. */
export interface Refusal {
  /** What the banner says; null if the fields say all. */
  problem: Problem | null;
  /** The server's names of the fields that show their errors themselves. */
  fields: readonly string[];
  /** Returns false if there was no error. */
  show: (error: Parameters<typeof asProblem>[0]) => boolean;
  clear: () => void;
}

/** `paths` maps the server's field names to the form's where they differ. */
export function useFormRefusal<Values extends Record<string, unknown>>(form: UseFormReturnType<Values>, paths: Partial<Record<string, string>> = {}): Refusal {
  const [banner, setBanner] = useState<Pick<Refusal, 'problem' | 'fields'>>({ problem: null, fields: [] });
  const fieldOf = (path: string): string => paths[path] ?? path;
  const show: Refusal['show'] = (error) => {
    const problem = asProblem(error);
    if (!problem) return false;
    const known = [...Object.keys(form.getValues()), ...Object.keys(paths)];
    const { fields, rest } = splitByField(problem, known);
    form.setErrors(Object.fromEntries(Object.entries(fields).map(([path, text]) => [fieldOf(path), <FieldProblem key={path} problem={problem} path={path} message={text} />])));
    setBanner({ problem: rest ? problem : null, fields: Object.keys(fields) });
    return true;
  };
  return { ...banner, show, clear: () => setBanner({ problem: null, fields: [] }) };
}
