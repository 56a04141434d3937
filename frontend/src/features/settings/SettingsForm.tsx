import { Button, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, splitByField } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';

import { changes, faultIn, shown, type Values, valueAt, withValue } from './fields';
import { FieldControl } from './FieldControl';
import type { SectionSpec } from './sections';

type Failure = Parameters<typeof asProblem>[0];

interface Props {
  sections: readonly SectionSpec[];
  source: Values;
  /** Gets the changed fields by the server's names. */
  save: (changed: Values) => Promise<{ error?: Failure }>;
  children?: React.ReactNode;
}

/** Sections of fields with one button. Shows the server's values; sends only changed ones. */
export function SettingsForm({ sections, source, save, children }: Props) {
  const { t } = useTranslation('Settings');
  const fields = sections.flatMap((section) => section.fields);
  const [edited, setEdited] = useState<Values>(() => shown(fields, source));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [refused, setRefused] = useState<Failure>();
  const [saving, setSaving] = useState(false);
  const dirty = JSON.stringify(edited) !== JSON.stringify(shown(fields, source));
  const visible = (when: string | undefined) => when === undefined || valueAt(edited, when) === true;
  const submit = async () => {
    const faults = fields.filter(({ when }) => visible(when)).flatMap((field) => {
      const fault = faultIn(field, valueAt(edited, field.path));
      return fault ? [[field.path, t(`fault.${fault}`)] as const] : [];
    });
    setErrors(Object.fromEntries(faults));
    setRefused(undefined);
    if (faults.length) return;
    setSaving(true);
    const { error } = await save(changes(fields.filter(({ when }) => visible(when)), edited, source));
    setSaving(false);
    const problem = asProblem(error);
    if (!problem) return toastDone(t('saved'));
    const found = splitByField(problem, fields.map(({ path }) => path));
    setErrors(found.fields);
    if (found.rest) setRefused(error);
  };
  const problem = asProblem(refused);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap={32} maw={640}>
        {sections.map((section) => (
          <Stack key={section.title} gap="md" component="section">
            <Title order={3}>{t(`section.${section.title}`)}</Title>
            {section.fields
              .filter(({ when }) => visible(when))
              .map((field) => (
                <FieldControl key={field.path} field={field} value={valueAt(edited, field.path)} error={errors[field.path]} onChange={(value) => setEdited((now) => withValue(now, field.path, value))} />
              ))}
          </Stack>
        ))}
        {children}
        {problem && <ProblemView problem={problem} />}
        <Group>
          <Button type="submit" loading={saving} disabled={!dirty}>
            {t('App:save')}
          </Button>
          {dirty && (
            <Button variant="subtle" color="gray" onClick={() => setEdited(shown(fields, source))}>
              {t('undo')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
