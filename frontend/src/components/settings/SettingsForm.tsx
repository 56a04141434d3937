import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { MissingRight } from '@/components/MissingRight';
import { useSession } from '@/lib/session';

import { useDrafts } from './drafts';
import { FieldControl } from './FieldControl';
import { type FieldSpec, isLocked, labelOf, type SectionSpec, type Values, valueAt } from './fields';
import { AROUND_ROWS } from './rows';
import { type Save, useSettings } from './useSettings';

interface Props {
  sections: readonly SectionSpec[];
  source: Values;
  /** Gets the changed fields by the server's names. */
  save: Save;
  /** Section of the locales with the texts: `field`, `hint`, `option`, `section`, each by path. */
  texts: string;
  /** Said after saving. */
  saved?: string;
  /** Nothing may be changed. */
  readOnly?: boolean;
  /** What stands below a section's fields, by the section's title; it gets the values as they are edited. */
  below?: Readonly<Record<string, (edited: Values) => ReactNode>>;
  /** What stands beside a field's control, by the field's path. */
  beside?: Readonly<Record<string, (edited: Values) => ReactNode>>;
}

/** Sections of settings. Shows the server's values and sends only changed ones; the bar of the page saves and discards. */
export function SettingsForm({ sections, source, save, texts, saved, readOnly = false, below, beside }: Props) {
  const { t } = useTranslation(texts);
  const has = useRights();
  const { save: saveAll } = useDrafts();
  const { edited, errors, failure, change, isShown } = useSettings({
    sections,
    source,
    save,
    texts,
    ...(saved === undefined ? {} : { saved }),
  });
  const problem = asProblem(failure);
  const right = problem?.args.feature;
  const currency = valueAt(edited, 'currency');
  return (
    <form
      className={AROUND_ROWS}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void saveAll();
      }}
    >
      <Stack gap={32}>
        {sections.map(({ title, fields }) => (
          <section key={title ?? ''}>
            {title && (
              <Title order={2} size="h3" mb="sm">
                {t(`section.${title}`)}
              </Title>
            )}
            <Locks
              fields={readOnly ? [] : fields.filter((field) => isLocked(field, source, has))}
              texts={texts}
              whole={fields.length}
            />
            {fields.filter(isShown).map((field) => (
              <FieldControl
                key={field.path}
                field={field}
                texts={texts}
                value={valueAt(edited, field.path)}
                error={errors[field.path]}
                disabled={readOnly || isLocked(field, source, has)}
                {...(typeof currency === 'string' ? { currency } : {})}
                beside={beside?.[field.path]?.(edited)}
                onChange={(value) => change(field.path, value)}
              />
            ))}
            {title && below?.[title]?.(edited)}
          </section>
        ))}
        {right ? <MissingRight right={right} /> : problem && <ProblemView problem={problem} />}
        {/* Enter submits a form with several fields only if there is a button. */}
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </Stack>
    </form>
  );
}

/** The rights that fields of a section miss. */
function Locks({ fields, texts, whole }: { fields: readonly FieldSpec[]; texts: string; whole: number }) {
  const { t } = useTranslation(texts);
  const rights = [...new Set(fields.map(({ needs = '' }) => needs))];
  const namesOf = (right: string) =>
    fields.length === whole ? [] : fields.filter(({ needs }) => needs === right).map((field) => t(labelOf(field)));
  return rights.map((right) => <MissingRight key={right} right={right} fields={namesOf(right)} />);
}

/** While the user is unknown, nothing is locked. */
function useRights(): (right: string) => boolean {
  const session = useSession();
  return session.state === 'signed-in' ? session.has : () => true;
}
