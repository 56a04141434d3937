import { Button, Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ResourceGroupEssentialData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

export function GroupSettings({ account, group }: { account: string; group: ResourceGroupEssentialData }) {
  const { t } = useTranslation('Resources');
  const [update, { isLoading }] = coreApi.useCoreUpdateResourceGroupMutation();
  const form = useForm({ initialValues: { isDefault: group.isDefault, enabledEviction: group.enabledEviction } });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (updateResourceGroupData) => {
    refusal.clear();
    const { error } = await update({ account, groupName: group.name, updateResourceGroupData });
    if (refusal.show(error)) return;
    form.resetDirty();
    toastDone(t('updated'));
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <FormBanner refusal={refusal} />
        <Switch label={t('default')} description={t('defaultHint')} {...form.getInputProps('isDefault', { type: 'checkbox' })} />
        <Switch label={t('eviction')} description={t('evictionHint')} {...form.getInputProps('enabledEviction', { type: 'checkbox' })} />
        <Button type="submit" w="fit-content" loading={isLoading} disabled={!form.isDirty()}>
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
