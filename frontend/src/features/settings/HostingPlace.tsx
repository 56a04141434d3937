import { Button, Group, Select, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { HostingType, ModelInfoData } from '@/api/generated/core.gen';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';

const HOSTINGS: HostingType[] = ['EXTERNAL', 'HOSTING_SERVER', 'INTERNAL', 'AUTOMATIC'];

/** Where instances run: on the owner's machines or in a resource group. */
export function HostingPlace({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Settings');
  const { data: groups = [] } = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const [update, { isLoading }] = coreApi.useCoreUpdateModelMutation();
  const refused = useProblemToast();
  const [hosting, setHosting] = useState(model.hostingType);
  const [group, setGroup] = useState(model.resourceGroup);
  const outside = hosting === 'EXTERNAL';
  const changed = hosting !== model.hostingType || (!outside && group !== model.resourceGroup);
  const save = async () => {
    const modelCreateUpdateData = { modelName: model.modelName, hostingType: hosting, resourceGroup: outside ? null : group };
    const { error } = await update({ account, model: model.modelName, modelCreateUpdateData });
    if (!refused(t('failed'), error)) toastDone(t('saved'));
  };
  const names = [...new Set([...groups.map(({ name }) => name), ...(model.resourceGroup ? [model.resourceGroup] : [])])];
  return (
    <Stack gap="md" maw={640} component="section">
      <Title order={3}>{t('section.place')}</Title>
      <Select
        label={t('field.hostingType')}
        data={HOSTINGS.map((value) => ({ value, label: t(`option.hostingType.${value}`) }))}
        allowDeselect={false}
        value={hosting}
        onChange={(value) => setHosting(HOSTINGS.find((known) => known === value) ?? hosting)}
      />
      {!outside && <Select label={t('field.resourceGroup')} description={t('hint.resourceGroup')} data={names} searchable value={group} onChange={setGroup} nothingFoundMessage={t('noGroups')} />}
      <Group>
        <Button loading={isLoading} disabled={!changed || (!outside && !group)} onClick={() => void save()}>
          {t('App:save')}
        </Button>
      </Group>
    </Stack>
  );
}
