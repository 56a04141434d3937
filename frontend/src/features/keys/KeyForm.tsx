import { Box, Button, Checkbox, Group, MultiSelect, NumberInput, Select, Stack, TextInput, Title } from '@mantine/core';
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

import classes from './KeyForm.module.css';
import { bodyOf, FIELD_PATHS, isUnchanged, type KeyValues, PERIODS, PERMISSIONS, valuesOf } from './keyValues';
import { OriginsField } from './OriginsField';
import { SpendingLimits } from './SpendingLimits';
import { useFaultOfOrigins } from './useFaultOfOrigins';
import { keyId } from './useKeys';
import { useServices } from './useServices';

interface Props {
  account: string;
  edited: AccessTokenData | null;
  /** Whether there is something that closing would lose. */
  onUnsaved: (unsaved: boolean) => void;
  /** Whether a new key is on its way. */
  onSending: (sending: boolean) => void;
  /** `forPages`: the key may call from pages of some sites. */
  onCreated: (token: string, forPages: boolean) => void;
  onChanged: () => void;
}

export function KeyForm({ account, edited, onUnsaved, onSending, onCreated, onChanged }: Props) {
  const { t } = useTranslation('Keys');
  const [create, creating] = coreApi.useCoreCreateAccessTokenMutation();
  const [update, updating] = coreApi.useCoreUpdateAccessTokenMutation();
  const services = useServices(account);
  const faultOf = useFaultOfOrigins();
  const [typing, setTyping] = useState(false);
  const form = useForm<KeyValues>({
    initialValues: valuesOf(edited),
    validateInputOnChange: ['origins'],
    onValuesChange: (values) => onUnsaved(!isUnchanged(values, edited)),
    validate: {
      name: (value) => (value.trim() ? null : t('Input:Required')),
      permissions: (value) => (value.length ? null : t('Input:Required')),
      origins: faultOf,
    },
  });
  const refusal = useFormRefusal(form, FIELD_PATHS);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const body = bodyOf(values);
    if (edited) {
      const { error } = await update({ account, token: keyId(edited.token), accessTokenCreateUpdateData: body });
      if (refusal.show(error)) return;
      toastDone(t('saved'));
      return onChanged();
    }
    onSending(true);
    const { data, error } = await create({ account, body });
    onSending(false);
    if (!refusal.show(error) && data) onCreated(data.token, values.origins.length > 0);
  }, refusal.showInvalid);
  // A text that is not added yet is a change too: pressing the button adds it.
  const typed = (text: string) => {
    const pending = text.trim() !== '';
    setTyping(pending);
    onUnsaved(pending || !isUnchanged(form.getValues(), edited));
  };
  const periods = PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }));
  const units = (['BYTES', 'CHARACTERS'] as const).map((value) => ({ value, label: t(`units.${value}`) }));
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Stack gap="md">
        <FormBanner refusal={refusal} />
        <TextInput label={t('name')} description={t('nameHint')} required data-autofocus maxLength={128} {...form.getInputProps('name')} />
        <Checkbox.Group label={t('permissions')} required {...form.getInputProps('permissions')}>
          <Stack gap="xs" mt="xs">
            {PERMISSIONS.map((permission) => (
              <Checkbox key={permission} value={permission} label={t(`permission.${permission}`)} description={t(`permissionHint.${permission}`)} />
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
        <TagField caseSensitive label={t('llms')} description={t('llmsHint')} placeholder={form.values.llms.length ? undefined : t('allLlms')} onSearchChange={typed} {...form.getInputProps('llms')} value={form.values.llms} />
        <OriginsField form={form} onSearchChange={typed} />
        <Title order={3}>{t('limits')}</Title>
        <Pair>
          <NumberInput label={t('lifetime')} placeholder={t('forever')} min={1} max={100_000} allowDecimal={false} {...form.getInputProps('lifetime')} />
          <Select aria-label={t('period')} data={periods} allowDeselect={false} {...form.getInputProps('lifetimePeriod')} />
        </Pair>
        <Pair>
          <NumberInput label={t('requestLimit')} placeholder={t('unlimited')} min={1} allowDecimal={false} {...form.getInputProps('requestLimit')} />
          <Select aria-label={t('per')} data={PERIODS.map((value) => ({ value, label: t(`each.${value}`) }))} allowDeselect={false} {...form.getInputProps('requestLimitPeriod')} />
        </Pair>
        <Pair>
          <NumberInput label={t('requestSize')} placeholder={t('unlimited')} min={1} allowDecimal={false} {...form.getInputProps('requestSize')} />
          <Select aria-label={t('unit')} data={units} allowDeselect={false} {...form.getInputProps('requestSizeUnit')} />
        </Pair>
        <SpendingLimits rows={form.values.spending} error={form.errors.spending} onChange={(rows) => form.setFieldValue('spending', rows)} />
        <NumberInput label={t('expenseLimit')} description={t('expenseLimitHint')} placeholder={t('unlimited')} min={0} decimalScale={9} {...form.getInputProps('expenseLimit')} />
        <NumberInput label={t('maxPricePerCall')} description={t('maxPricePerCallHint')} placeholder={t('unlimited')} min={0} decimalScale={9} {...form.getInputProps('maxPricePerCall')} />
        <TagField label={t('emails')} description={t('emailsHint')} separators={ADDRESS_SEPARATORS} onSearchChange={typed} {...form.getInputProps('emails')} value={form.values.emails} />
      </Stack>
      <Box pos="sticky" bottom={0} className={classes.foot}>
        <Button type="submit" fullWidth loading={creating.isLoading || updating.isLoading} disabled={edited !== null && !form.isDirty() && !typing}>
          {t(edited ? 'App:save' : 'create')}
        </Button>
      </Box>
    </form>
  );
}

function Pair({ children }: { children: React.ReactNode }) {
  return (
    <Group align="flex-end" grow>
      {children}
    </Group>
  );
}
