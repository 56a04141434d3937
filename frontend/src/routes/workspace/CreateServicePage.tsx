import { Box, Button, Group, Stepper } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import classes from '@/features/create/Create.module.css';
import { EMPTY_DRAFT, isReady, LAST_STEP, stepReady } from '@/features/create/draft';
import { HostingStep, ImageStep, NameStep } from '@/features/create/Steps';
import { Summary } from '@/features/create/Summary';
import { useCreation } from '@/features/create/useCreation';
import { useMember } from '@/lib/session';
import { useNameCheck } from '@/lib/useNameCheck';

const STEPS = ['image', 'name', 'hosting', 'review'] as const;

/** Image, name and type, hosting, done: each step valid before the next, with what is chosen beside them. */
export function CreateServicePage() {
  const { t } = useTranslation('Create');
  const { account } = useMember();
  const navigate = useNavigate();
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const name = useNameCheck(draft.name);
  const { create, creating, problem } = useCreation(account);
  const props = { account, draft, change: (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part })) };
  const free = name.state === 'free';
  const finish = async () => {
    const made = await create(draft);
    if (made) void navigate(`/workspace/model/${made.id.accountId}/${made.id.modelId}/diagnostic`);
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
          <Stepper active={step} onStepClick={setStep} allowNextStepsSelect={false} size="sm" mb="lg">
            {STEPS.map((key) => (
              <Stepper.Step key={key} label={t(`step.${key}`)} />
            ))}
          </Stepper>
          {step === 0 && <ImageStep {...props} />}
          {step === 1 && <NameStep {...props} check={name} />}
          {step === 2 && <HostingStep {...props} />}
          {step === LAST_STEP && <Summary draft={draft} wide />}
          {problem && <ProblemView problem={problem} />}
          <Group mt="xl">
            <Button variant="default" disabled={step === 0} onClick={() => setStep(step - 1)}>
              {t('back')}
            </Button>
            <Button type="submit" loading={creating} disabled={step < LAST_STEP ? !stepReady(step, draft, free) : !isReady(draft, free)}>
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
