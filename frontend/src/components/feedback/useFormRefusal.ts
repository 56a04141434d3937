import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, splitByField } from '@/api';

/** Shows a server's refusal of a form at the fields that it names, and the rest in one banner. */
export interface Refusal {
  banner: string | null;
  /** Returns false if there was no error. */
  show: (error: Parameters<typeof asProblem>[0]) => boolean;
  clear: () => void;
}

/** `paths` maps the server's field names to the form's where they differ. */
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
