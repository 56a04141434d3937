import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, type Problem } from '@/api';
import type { HostingType, ModelInfoData } from '@/api/generated/core.gen';
import { useDraft } from '@/components/settings/drafts';

export interface Place {
  hosting: HostingType;
  /** Null: the account's default group. */
  group: string | null;
  /** How many instances the platform keeps running; only where people set it. */
  instances: number;
}

/** A fixed number of instances, which people set. */
export const isFixed = (hosting: HostingType) => hosting === 'INTERNAL' || hosting === 'HOSTING_SERVER';

const POLL = { pollingInterval: 5000, skipPollingIfUnfocused: true };

/** Where instances run and how many: what the server has, what is chosen here, and how it is saved. */
export function useHostingPlace(account: string, model: ModelInfoData) {
  const { t } = useTranslation('Settings');
  const where = { account, model: model.modelName };
  const { data: requested } = coreApi.useCoreGetInstancesStatusQuery(where, POLL);
  const [update] = coreApi.useCoreUpdateModelMutation();
  const [scale] = coreApi.useCoreSetInstancesCountMutation();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [chosen, setChosen] = useState<Partial<Place>>({});
  const stored: Place = {
    hosting: model.hostingType,
    group: model.resourceGroup,
    instances: (requested?.hostingServerRequested ?? 0) + (requested?.internalRequested ?? 0),
  };
  const place: Place = { ...stored, ...chosen };
  const outside = place.hosting === 'EXTERNAL';
  const moved = place.hosting !== stored.hosting || (!outside && place.group !== stored.group);
  const scaled = isFixed(place.hosting) && !model.prototype && place.instances !== stored.instances;
  const discard = () => {
    setChosen({});
    setProblem(null);
  };
  const save = async () => {
    setProblem(null);
    const modelCreateUpdateData = {
      modelName: model.modelName,
      hostingType: place.hosting,
      resourceGroup: outside ? null : place.group,
    };
    const { error: refused } = moved ? await update({ ...where, modelCreateUpdateData }) : {};
    const { error } = refused || !scaled ? { error: refused } : await scale({ ...where, body: place.instances });
    if (error) setProblem(asProblem(error));
    else discard();
    return !error;
  };
  const changed = [
    ...(place.hosting === stored.hosting ? [] : [t('field.hostingType')]),
    ...(outside || place.group === stored.group ? [] : [t('field.resourceGroup')]),
    ...(scaled ? [t('field.instances')] : []),
  ];
  useDraft({ changed, save, discard });
  return { place, stored, problem, change: (part: Partial<Place>) => setChosen((now) => ({ ...now, ...part })) };
}
