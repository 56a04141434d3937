import { Box, Button, Checkbox, Code, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { AccessTokenData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { TagField } from '@/components/TagField';
import { ADDRESS_SEPARATORS } from '@/components/tagSeparators';

import { isNoEmail } from './emails';
import classes from './KeyForm.module.css';
import { KeyLimits } from './KeyLimits';
import { bodyOf, FIELD_PATHS, isUnchanged, type KeyValues, PERMISSIONS, valuesOf } from './keyValues';
import { OriginsField } from './OriginsField';
import { useKeyFaults } from './useKeyFaults';
import { keyId } from './useKeys';
import { useServices } from './useServices';

interface Props {
  account: string;
  edited: AccessTokenData | null;
  /** Whether there is something that closing would lose. */
  onUnsaved: (unsaved: boolean) => void;
  /** Whether the form is on its way. */
  onSending: (sending: boolean) => void;
  onCreated: (key: AccessTokenData) => void;
  onChanged: () => void;
}

export function KeyForm({ account, edited, onUnsaved, onSending, onCreated, onChanged }: Props) {
  const { t } = useTranslation('Keys');
  const [create, creating] = coreApi.useCoreCreateAccessTokenMutation();
  const [update, updating] = coreApi.useCoreUpdateAccessTokenMutation();
  const services = useServices(account);
  const validate = useKeyFaults();
  const [typing, setTyping] = useState(false);
  const form = useForm<KeyValues>({
    initialValues: valuesOf(edited),
    validateInputOnChange: ['origins', 'emails'],
    onValuesChange: (values) => onUnsaved(!isUnchanged(values, edited)),
    validate,
  });
  const refusal = useFormRefusal(form, FIELD_PATHS);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const body = bodyOf(values);
    onSending(true);
    if (edited) {
      const { error } = await update({ account, token: keyId(edited.token), accessTokenCreateUpdateData: body });
      onSending(false);
      if (refusal.show(error)) return;
      toastDone(t('saved'));
      return onChanged();
    }
    const { data, error } = await create({ account, body });
    onSending(false);
    if (!refusal.show(error) && data) onCreated(data);
  }, refusal.showInvalid);
  // A text that is not added yet is a change too: pressing the button adds it.
  const typed = (text: string) => {
    const pending = text.trim() !== '';
    setTyping(pending);
    onUnsaved(pending || !isUnchanged(form.getValues(), edited));
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Stack gap="md">
        <FormBanner refusal={refusal} />
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          required
          data-autofocus
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label={t('permissions')}
          required
          errorProps={{ mt: 'xs' }}
          {...form.getInputProps('permissions')}
        >
          <Stack gap="xs" mt="xs">
            {PERMISSIONS.map((permission) => (
              <Checkbox
                key={permission}
                value={permission}
                label={t(`permission.${permission}`)}
                description={
                  <>
                    <Code>{permission}</Code> {t(`permissionHint.${permission}`)}
                  </>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <MultiSelect
          label={t('services')}
          description={t('servicesHint')}
          placeholder={form.values.services.length ? undefined : t('allServices')}
          data={services(form.values.services)}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('allServices') }}
          limit={50}
          {...form.getInputProps('services')}
        />
        <TagField
          caseSensitive
          label={t('llms')}
          description={t('llmsHint')}
          placeholder={form.values.llms.length ? undefined : t('allLlms')}
          onSearchChange={typed}
          {...form.getInputProps('llms')}
          value={form.values.llms}
        />
        <OriginsField form={form} onSearchChange={typed} />
        <KeyLimits form={form} edited={edited} />
        <TagField
          label={t('emails')}
          description={t('emailsHint')}
          placeholder={form.values.emails.length ? undefined : 'name@example.com'}
          isWrong={isNoEmail}
          separators={ADDRESS_SEPARATORS}
          onSearchChange={typed}
          {...form.getInputProps('emails')}
          value={form.values.emails}
        />
      </Stack>
      <Box pos="sticky" bottom={0} className={classes.foot}>
        <Button
          type="submit"
          fullWidth
          loading={creating.isLoading || updating.isLoading}
          disabled={edited !== null && isUnchanged(form.values, edited) && !typing}
        >
          {t(edited ? 'App:save' : 'create')}
        </Button>
      </Box>
    </form>
  );
}
