import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, splitByField } from '@/api';

import { FieldProblem } from '@/components/feedback/ProblemSummary';

import { useDraft } from './drafts';
import {
  changedFields,
  changes,
  faultIn,
  type FieldSpec,
  labelOf,
  placed,
  rebased,
  type SectionSpec,
  shown,
  type Values,
  valueAt,
  withValue,
} from './fields';

export type Failure = Parameters<typeof asProblem>[0];
export type Save = (changed: Values) => Promise<{ error?: Failure }>;

interface Options {
  sections: readonly SectionSpec[];
  source: Values;
  save: Save;
  texts: string;
  saved?: string;
}

/** The state of a form of settings: what is edited, errors, and what the page's bar saves. */
export function useSettings({ sections, source, save, texts, saved }: Options) {
  const { t } = useTranslation(texts);
  const fields = sections.flatMap((section) => section.fields);
  const server = shown(fields, source);
  const [edited, setEdited] = useState<Values>(server);
  // What counts as unchanged: the server's values, or those that were just saved.
  const [base, setBase] = useState<Values>(server);
  const [seen, setSeen] = useState(() => JSON.stringify(server));
  const [errors, setErrors] = useState<Record<string, ReactNode>>({});
  const [failure, setFailure] = useState<Failure>();
  if (seen !== JSON.stringify(server)) {
    setSeen(JSON.stringify(server));
    setBase(server);
    setEdited(rebased(fields, edited, base, server));
  }
  const changed = changedFields(fields, edited, base).filter(({ explains }) => !explains);
  const isShown = ({ when, explains }: FieldSpec) =>
    explains ? changed.length > 0 : when === undefined || valueAt(edited, when) === true;
  const change = (path: string, value: unknown) => {
    setEdited((now) => withValue(now, path, value));
    setErrors(({ [path]: _gone, ...others }) => others);
  };
  const discard = () => {
    setEdited(base);
    setErrors({});
    setFailure(undefined);
  };
  const submit = async (): Promise<boolean> => {
    const visible = fields.filter(isShown);
    const faults = visible.flatMap((field) => {
      const fault = faultIn(field, valueAt(edited, field.path));
      return fault ? [[field.path, t(`Input:fault.${fault}`)] as const] : [];
    });
    setErrors(Object.fromEntries(faults));
    setFailure(undefined);
    if (faults.length) return false;
    const { error } = await save(changes(visible, edited, source));
    const problem = asProblem(error);
    if (!problem) {
      setBase(unexplained(fields, edited, base));
      setEdited((now) => unexplained(fields, now, base));
      return true;
    }
    const { fields: named } = splitByField(problem, [...visible.map(({ path }) => path), ...Object.keys(problem.args)]);
    const { at, rest } = placed(Object.keys(named), visible);
    setErrors(
      Object.fromEntries(
        Object.entries(at).map(([path, name]) => [
          path,
          <FieldProblem key={path} problem={problem} path={name} message={named[name] ?? ''} />,
        ]),
      ),
    );
    if (rest.length > 0 || Object.keys(at).length === 0) setFailure(error);
    return false;
  };
  useDraft({
    changed: changed.map((field) => t(labelOf(field))),
    save: submit,
    discard,
    ...(saved === undefined ? {} : { saved }),
  });
  return { edited, errors, failure, change, isShown };
}

/** The values without the explanation of a change. */
function unexplained(fields: readonly FieldSpec[], values: Values, before: Values): Values {
  return fields
    .filter(({ explains }) => explains)
    .reduce((next, { path }) => withValue(next, path, valueAt(before, path)), values);
}
