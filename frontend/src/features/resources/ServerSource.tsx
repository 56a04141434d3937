import { Anchor, Input, NumberInput, SegmentedControl, Select, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { MONOSPACED } from '@/components/code/monospaced';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Link } from '@/components/Link';

import { type ServerValues, SOURCES } from './serverValues';
import { TemplatePrice, useCapacityText } from './templates/TemplateFacts';

interface Props {
  account: string;
  groupName: string;
  form: UseFormReturnType<ServerValues>;
}

/** How a new server is configured: by fields, by a template, or by text. */
export function ServerSource(props: Props) {
  const { t } = useTranslation('Resources');
  const { form } = props;
  const { source } = form.values;
  return (
    <>
      <Input.Wrapper label={t('source')} labelElement="div">
        <SegmentedControl
          fullWidth
          mt={4}
          aria-label={t('source')}
          data={SOURCES.map((value) => ({ value, label: t(`sources.${value}`) }))}
          value={source}
          onChange={(value) => form.setFieldValue('source', value)}
        />
      </Input.Wrapper>
      {source === 'fields' && <Fields form={form} />}
      {source === 'template' && <Template {...props} />}
      {source === 'yaml' && (
        <Textarea
          label={t('configuration')}
          description={t('Templates:configurationHint')}
          required
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          styles={MONOSPACED}
          {...form.getInputProps('rawConfiguration')}
        />
      )}
    </>
  );
}

function Fields({ form }: Pick<Props, 'form'>) {
  const { t } = useTranslation('Resources');
  return (
    <>
      <Textarea label={t('description')} maxLength={1024} autosize minRows={2} {...form.getInputProps('description')} />
      <NumberInput
        label={t('maxInstances')}
        placeholder={t('unlimited')}
        min={1}
        max={100_000}
        allowDecimal={false}
        {...form.getInputProps('maxInstances')}
      />
    </>
  );
}

/** The templates of the account and of the platform for servers of the group. */
function Template({ account, groupName, form }: Props) {
  const { t } = useTranslation('Resources');
  const { data, error, refetch } = coreApi.useCoreGetTemplatesQuery({ account, groupName });
  const capacity = useCapacityText();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={82} />;
  if (data.length === 0) {
    return (
      <Text size="sm">
        {t('noTemplates')}{' '}
        <Anchor component={Link} inherit to="/workspace/server-templates">
          {t('toTemplates')}
        </Anchor>
      </Text>
    );
  }
  const chosen = data.find(({ id }) => String(id) === form.values.templateId);
  const named = (own: boolean) =>
    data
      .filter(({ ownerId }) => (String(ownerId) === account) === own)
      .map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <Stack gap={4}>
      <Select
        label={t('template')}
        description={t('templateHint')}
        required
        searchable
        data={[
          { group: t('ownTemplates'), items: named(true) },
          { group: t('platformTemplates'), items: named(false) },
        ].filter(({ items }) => items.length > 0)}
        {...form.getInputProps('templateId')}
      />
      {chosen && (
        <Text size="sm" component="div">
          {capacity(chosen)} <TemplatePrice template={chosen} />
        </Text>
      )}
    </Stack>
  );
}
