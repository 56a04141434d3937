import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, splitByField } from '@/api';

/** What a server says of a form: on the fields it names, the rest in one banner above them. */
export interface Refusal {
  banner: string | null;
  /** False when there was no error. */
  show: (error: Parameters<typeof asProblem>[0]) => boolean;
  clear: () => void;
}

/** `paths`: what the server calls a field, to what the form does; only where the two differ a value is needed. */
export function useFormRefusal<Values extends Record<string, unknown>>(form: UseFormReturnType<Values>, paths: Partial<Record<string, string>> = {}): Refusal {
  const { t } = useTranslation();
  const [banner, setBanner] = useState<string | null>(null);
  const fieldOf = (path: string): string => paths[path] ?? path;
  const show: Refusal['show'] = (error) => {
    const problem = asProblem(error);
    if (!problem) return false;
    const known = [...Object.keys(form.getValues()), ...Object.keys(paths)];
    const { fields, rest } = splitByField(problem, known);
    form.setErrors(Object.fromEntries(Object.entries(fields).map(([path, text]) => [fieldOf(path), text])));
    setBanner(rest ? (problem.status === 0 ? t('Error:noAnswer') : problem.message) || t('Account:FormContainer:Error') : null);
    return true;
  };
  return { banner, show, clear: () => setBanner(null) };
}
