import { useState } from 'react';

import { type asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { useRefusal } from '@/components/feedback/useRefusal';

import { type Draft, type ImageChoice, modelOf } from './draft';

/** Creates the image if necessary, then the service, then starts it if the platform hosts it. */
export function useCreation(account: string) {
  const [createImage, image] = coreApi.useCoreCreateImageMutation();
  const [createModel, model] = coreApi.useCoreCreateModelMutation();
  const [start, starting] = coreApi.useCoreSetInstancesCountMutation();
  const refusal = useRefusal();
  // A second attempt reuses the image of the first, since its name is taken.
  const [made, setMade] = useState<ImageChoice | null>(null);

  const imageOf = async (draft: Draft): Promise<ImageChoice> => {
    const address = draft.address.trim();
    if (draft.existing) return draft.existing;
    if (made?.address === address) return made;
    const { id } = await createImage({
      account,
      imageData: { name: draft.name, image: address, accessMode: 'private' },
    }).unwrap();
    const created = { ...id, address };
    setMade(created);
    return created;
  };
  const create = async (draft: Draft): Promise<ModelInfoData | null> => {
    refusal.clear();
    try {
      const created = await createModel({
        account,
        modelCreateUpdateData: modelOf(draft, await imageOf(draft)),
      }).unwrap();
      // If the start fails, the next page shows it and lets people retry.
      if (draft.hosting === 'INTERNAL' && draft.instances > 0)
        await start({ account, model: created.modelName, body: draft.instances });
      return created;
    } catch (error) {
      refusal.show(error as Parameters<typeof asProblem>[0]);
      return null;
    }
  };
  return { create, creating: image.isLoading || model.isLoading || starting.isLoading, refusal };
}
