import { Box, Button, Group, Skeleton, Stepper } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import { Page } from '@/components/Page';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import classes from '@/features/create/Create.module.css';
import { EMPTY_DRAFT, isReady, LAST_STEP, stepReady } from '@/features/create/draft';
import { Launch } from '@/features/create/Launch';
import { HostingStep, ImageStep, NameStep } from '@/features/create/Steps';
import { Summary } from '@/features/create/Summary';
import { useCreation } from '@/features/create/useCreation';
import { useMember } from '@/lib/session';
import { useNameCheck } from '@/lib/useNameCheck';

const STEPS = ['image', 'name', 'hosting', 'review', 'launch'] as const;
/** Names the created service in the address, so that a reload does not lose its start. */
const MADE = 'service';

/** Describes a service in steps, then starts it; ends in its playground. */
export function CreateServicePage() {
  const { account } = useMember();
  const [params] = useSearchParams();
  const made = params.get(MADE);
  return made ? <LaunchPage account={account} service={made} /> : <DraftPage account={account} />;
}

function LaunchPage({ account, service }: { account: string; service: string }) {
  const { t } = useTranslation('Create');
  const { data: model, error, refetch } = coreApi.useCoreGetModelInfoQuery({ account, model: service });
  const problem = asProblem(error);
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <Steps active={LAST_STEP + 1} />
      {problem && !model && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !model && <Skeleton h={240} />}
      {model && <Launch account={account} model={model} />}
    </Page>
  );
}

function Steps({ active, onChoose }: { active: number; onChoose?: (step: number) => void }) {
  const { t } = useTranslation('Create');
  return (
    <Stepper
      active={active}
      {...(onChoose && { onStepClick: onChoose })}
      allowNextStepsSelect={false}
      size="sm"
      mb="lg"
    >
      {STEPS.map((key) => (
        <Stepper.Step key={key} label={t(`step.${key}`)} />
      ))}
    </Stepper>
  );
}

/** Image, name and type, hosting, review: each step valid before the next, with what is chosen beside them. */
function DraftPage({ account }: { account: string }) {
  const { t } = useTranslation('Create');
  const [, setParams] = useSearchParams();
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const name = useNameCheck(draft.name);
  const { create, creating, refusal } = useCreation(account);
  const props = { account, draft, change: (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part })) };
  const free = name.state === 'free';
  const finish = async () => {
    const made = await create(draft);
    if (made) setParams({ [MADE]: String(made.id.modelId) }, { replace: true });
  };
  const next = () => (step < LAST_STEP ? setStep(step + 1) : void finish());
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <Box
        component="form"
        className={classes.page ?? ''}
        onSubmit={(event) => {
          event.preventDefault();
          if (stepReady(step, draft, free)) next();
        }}
      >
        <Box flex={1} miw={0}>
          <Steps active={step} onChoose={setStep} />
          {step === 0 && <ImageStep {...props} />}
          {step === 1 && <NameStep {...props} check={name} />}
          {step === 2 && <HostingStep {...props} />}
          {step === LAST_STEP && <Summary draft={draft} wide />}
          <FormBanner refusal={refusal} />
          <Group mt="xl">
            <Button variant="default" disabled={step === 0} onClick={() => setStep(step - 1)}>
              {t('back')}
            </Button>
            <Button
              type="submit"
              loading={creating}
              disabled={step < LAST_STEP ? !stepReady(step, draft, free) : !isReady(draft, free)}
            >
              {t(step < LAST_STEP ? 'next' : 'create')}
            </Button>
          </Group>
        </Box>
        {step < LAST_STEP && (
          <Box className={classes.summary ?? ''}>
            <Summary draft={draft} />
          </Box>
        )}
      </Box>
    </Page>
  );
}
