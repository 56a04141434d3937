import { Alert, Anchor, Button, Group, Paper, Radio, Select, Stack, Stepper, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelCreateUpdateData } from '@/api/generated/core.gen';
import { Page } from '@/components/Page';
import { useNameCheck } from '@/features/create/useNameCheck';
import { useMember } from '@/lib/session';
import { useTaskNames } from '@/lib/useTaskNames';

type Hosting = 'EXTERNAL' | 'HOSTING_SERVER';
interface Draft {
  image: string;
  name: string;
  description: string;
  taskType: NonNullable<ModelCreateUpdateData['taskType']>;
  hosting: Hosting;
  resourceGroup: string | null;
}

const LAST = 3;

/** Image, name and type, hosting, review: each step valid before the next. */
export function CreateServicePage() {
  const { t } = useTranslation('Create');
  const { account } = useMember();
  const navigate = useNavigate();
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState<Draft>({ image: '', name: '', description: '', taskType: 'custom', hosting: 'EXTERNAL', resourceGroup: null });
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const name = useNameCheck(draft.name);
  const { create, creating, refused } = useCreation(account);
  const valid = [draft.image.trim() !== '', name.state === 'free', draft.hosting === 'EXTERNAL' || draft.resourceGroup !== null, true][step];
  const finish = async () => {
    const made = await create(draft);
    if (made) void navigate(`/workspace/model/${made.id.accountId}/${made.id.modelId}/diagnostic`);
  };
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <Stepper active={step} onStepClick={setStep} allowNextStepsSelect={false} size="sm">
        <Stepper.Step label={t('step.image')}>
          <Stack maw={560}>
            <TextInput label={t('image')} description={t('imageHint')} required data-autofocus maxLength={512} placeholder="registry.example.org/team/model:1.0" value={draft.image} onChange={({ currentTarget }) => change({ image: currentTarget.value })} />
          </Stack>
        </Stepper.Step>
        <Stepper.Step label={t('step.name')}>
          <NameAndType draft={draft} change={change} check={name} />
        </Stepper.Step>
        <Stepper.Step label={t('step.hosting')}>
          <HostingChoice account={account} draft={draft} change={change} />
        </Stepper.Step>
        <Stepper.Step label={t('step.review')}>
          <Review draft={draft} />
        </Stepper.Step>
      </Stepper>
      {refused && <Alert color="red">{refused}</Alert>}
      <Group>
        <Button variant="default" disabled={step === 0} onClick={() => setStep(step - 1)}>
          {t('back')}
        </Button>
        {step < LAST ? (
          <Button disabled={!valid} onClick={() => setStep(step + 1)}>
            {t('next')}
          </Button>
        ) : (
          <Button loading={creating} onClick={() => void finish()}>
            {t('create')}
          </Button>
        )}
      </Group>
    </Page>
  );
}

/** An image is an object of its own; one that another service already uses is taken as it is. */
function useCreation(account: string) {
  const { t } = useTranslation('Create');
  const [createImage, image] = coreApi.useCoreCreateImageMutation();
  const [createModel, model] = coreApi.useCoreCreateModelMutation();
  const [refused, setRefused] = useState<string | null>(null);
  const create = async (draft: Draft) => {
    setRefused(null);
    try {
      const made = await createImage({ account, imageData: { name: draft.name, image: draft.image.trim(), accessMode: 'private' } }).unwrap();
      return await createModel({
        account,
        modelCreateUpdateData: {
          modelName: draft.name,
          imageAccountId: made.id.accountId,
          imageId: made.id.imageId,
          taskType: draft.taskType,
          hostingType: draft.hosting,
          resourceGroup: draft.hosting === 'EXTERNAL' ? null : draft.resourceGroup,
          shortDescription: draft.description.trim() || null,
        },
      }).unwrap();
    } catch (error) {
      const problem = asProblem(error as Parameters<typeof asProblem>[0]);
      const details = Object.entries(problem?.args ?? {}).map(([path, text]) => `${path}: ${text}`);
      setRefused([problem?.message || t('failed'), ...details].join(' · '));
      return null;
    }
  };
  return { create, creating: image.isLoading || model.isLoading, refused };
}

interface StepProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

function NameAndType({ draft, change, check }: StepProps & { check: ReturnType<typeof useNameCheck> }) {
  const { t } = useTranslation('Create');
  const names = useTaskNames();
  const { data: types = [] } = coreApi.useCoreGetTaskTypesQuery();
  return (
    <Stack maw={560}>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        maxLength={64}
        value={draft.name}
        error={check.state === 'refused' ? (check.reason ?? t('nameRefused')) : null}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {check.state === 'free' ? t('nameFree') : check.state === 'checking' ? t('nameChecking') : ' '}
      </Text>
      <Select label={t('taskType')} data={types.map((type) => ({ value: type.name, label: names(type.name) }))} value={draft.taskType} allowDeselect={false} onChange={(value) => value && change({ taskType: value as Draft['taskType'] })} />
      <Textarea label={t('description')} maxLength={512} autosize minRows={2} value={draft.description} onChange={({ currentTarget }) => change({ description: currentTarget.value })} />
    </Stack>
  );
}

function HostingChoice({ account, draft, change }: StepProps & { account: string }) {
  const { t } = useTranslation('Create');
  const { data: groups = [] } = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  return (
    <Stack maw={560}>
      <Radio.Group label={t('hosting')} value={draft.hosting} onChange={(value) => change({ hosting: value })}>
        <Stack mt="xs" gap="sm">
          <Radio value="EXTERNAL" label={t('external')} description={t('externalHint')} />
          <Radio value="HOSTING_SERVER" label={t('server')} description={t('serverHint')} />
        </Stack>
      </Radio.Group>
      {draft.hosting === 'HOSTING_SERVER' && (
        <Select label={t('group')} required data={groups.map(({ name }) => name)} value={draft.resourceGroup} onChange={(resourceGroup) => change({ resourceGroup })} nothingFoundMessage={t('noGroups')} />
      )}
    </Stack>
  );
}

function Review({ draft }: { draft: Draft }) {
  const { t } = useTranslation('Create');
  const names = useTaskNames();
  const facts: [string, string][] = [
    [t('image'), draft.image],
    [t('name'), draft.name],
    [t('taskType'), names(draft.taskType)],
    [t('hosting'), draft.hosting === 'EXTERNAL' ? t('external') : `${t('server')}: ${draft.resourceGroup ?? ''}`],
  ];
  return (
    <Paper withBorder p="md" maw={560}>
      <Stack gap="xs">
        {facts.map(([fact, value]) => (
          <Group key={fact} justify="space-between">
            <Text c="dimmed">{fact}</Text>
            <Text ff="monospace">{value}</Text>
          </Group>
        ))}
        <Text size="sm" c="dimmed">
          {t('nextSteps')} <Anchor href="/swagger-ui">API</Anchor>
        </Text>
      </Stack>
    </Paper>
  );
}
