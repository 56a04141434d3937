import { useTranslation } from 'react-i18next';

import type { ShortJobView } from '@/api/generated/core.gen';

/** The current step in the reader's language; a step without a text has the platform's name. */
export function useStepName({ stepKey, currentStep }: ShortJobView): string {
  const { i18n } = useTranslation();
  const key = `Tasks:step.${stepKey ?? ''}`;
  return stepKey && i18n.exists(key) ? i18n.t(key) : currentStep;
}
