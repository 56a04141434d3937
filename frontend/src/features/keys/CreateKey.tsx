import { Alert, Button, Checkbox, Drawer, Group, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, splitByField } from '@/api';
import type { KeyPermission, Period } from '@/api/generated/core.gen';

import { NewKey } from './NewKey';

const PERMISSIONS: KeyPermission[] = ['predict', 'read', 'write'];
const PERIODS: Period[] = ['HOUR', 'DAY', 'MONTH', 'YEAR'];
const FIELDS = ['name', 'permissions', 'allowedServices', 'maxLifetime', 'maxLifetimePeriod'] as const;

interface Values {
  name: string;
  permissions: KeyPermission[];
  services: string[];
  lifetime: number | string;
  period: Period;
}

const EMPTY: Values = { name: '', permissions: ['predict'], services: [], lifetime: '', period: 'MONTH' };

interface Props {
  account: string;
  opened: boolean;
  onClose: () => void;
}

/** The secret is shown once, right after the key was made. */
export function CreateKey({ account, opened, onClose }: Props) {
  const { t } = useTranslation('Keys');
  const [created, setCreated] = useState<string | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  return (
    <Drawer opened={opened} onClose={close} position="right" size="lg" title={t(created ? 'created' : 'create')} closeOnClickOutside={!created}>
      {created ? <NewKey token={created} onDone={close} /> : <KeyForm account={account} onCreated={setCreated} />}
    </Drawer>
  );
}

function KeyForm({ account, onCreated }: { account: string; onCreated: (token: string) => void }) {
  const { t } = useTranslation('Keys');
  const [create, { isLoading }] = coreApi.useCoreCreateAccessTokenMutation();
  const [refused, setRefused] = useState<string | null>(null);
  const services = useServices(account);
  const form = useForm<Values>({
    initialValues: EMPTY,
    validate: {
      name: (value) => (value.trim() ? null : t('Input:Required')),
      permissions: (value) => (value.length ? null : t('Input:Required')),
    },
  });
  const submit = form.onSubmit(async (values) => {
    setRefused(null);
    const chosen = services.filter(({ value }) => values.services.includes(value)).map(({ id }) => id);
    const lifetime = Number(values.lifetime) || null;
    const body = {
      name: values.name.trim(),
      permissions: values.permissions,
      allowedServices: chosen.length ? chosen : null,
      temporary: lifetime !== null,
      maxLifetime: lifetime,
      maxLifetimePeriod: lifetime === null ? null : values.period,
    };
    const { data, error } = await create({ account, body });
    if (data) return onCreated(data.token);
    const problem = asProblem(error);
    if (!problem) return;
    const { fields, rest } = splitByField(problem, FIELDS);
    const { maxLifetime, allowedServices, ...others } = fields;
    form.setErrors({ ...others, ...(maxLifetime ? { lifetime: maxLifetime } : {}), ...(allowedServices ? { services: allowedServices } : {}) });
    if (rest) setRefused(problem.message || t('failed'));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {refused && <Alert color="red">{refused}</Alert>}
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
          data={services.map(({ value, label }) => ({ value, label }))}
          searchable
          clearable
          {...form.getInputProps('services')}
        />
        <Group align="flex-end" grow>
          <NumberInput label={t('lifetime')} placeholder={t('forever')} min={1} max={100_000} allowDecimal={false} {...form.getInputProps('lifetime')} />
          <Select aria-label={t('period')} data={PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }))} allowDeselect={false} {...form.getInputProps('period')} />
        </Group>
        <Button type="submit" loading={isLoading}>
          {t('create')}
        </Button>
      </Stack>
    </form>
  );
}

/** What a key may be limited to: the account's own services and public ones. */
function useServices(account: string) {
  const own = coreApi.useCoreGetPagedModelsQuery({ account, onlyMy: true, size: 1000 });
  const open = coreApi.useCoreGetPublicModelsQuery({ onlyPublic: true, size: 1000 });
  const records = [...(own.data?.records ?? []), ...(open.data?.records ?? [])];
  const byName = new Map(
    records.map((model) => {
      const value = `${model.id.accountId}/${model.id.modelId}`;
      return [value, { value, label: `${model.modelAccountName ?? model.id.accountId}/${model.modelName}`, id: model.id }];
    }),
  );
  return [...byName.values()];
}
