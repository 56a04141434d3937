import type { ModelCreateUpdateData } from '@/api/generated/core.gen';

/** On the platform, or where the owner starts it. The settings of the service offer more. */
export type Hosting = 'EXTERNAL' | 'INTERNAL';
export type TaskType = NonNullable<ModelCreateUpdateData['taskType']>;

export interface ImageChoice {
  accountId: number;
  imageId: number;
  address: string;
}

/** A service being created. */
export interface Draft {
  /** An existing image, or the address of one that is created with the service. */
  existing: ImageChoice | null;
  address: string;
  name: string;
  displayName: string;
  description: string;
  taskType: TaskType;
  languages: string[];
  hosting: Hosting;
  /** Null: the account's default group. */
  resourceGroup: string | null;
  instances: number;
}

export const EMPTY_DRAFT: Draft = {
  existing: null,
  address: '',
  name: '',
  displayName: '',
  description: '',
  taskType: 'custom',
  languages: [],
  hosting: 'INTERNAL',
  resourceGroup: null,
  instances: 1,
};
export const LAST_STEP = 3;

/** Whether the next step is possible. `nameFree`: the server's answer about the name. */
export function stepReady(step: number, draft: Draft, nameFree: boolean): boolean {
  if (step === 0) return draft.existing !== null || draft.address.trim() !== '';
  return step === 1 ? nameFree : true;
}

export function isReady(draft: Draft, nameFree: boolean): boolean {
  return [0, 1].every((step) => stepReady(step, draft, nameFree));
}

export function modelOf(draft: Draft, image: { accountId: number; imageId: number }): ModelCreateUpdateData {
  const outside = draft.hosting === 'EXTERNAL';
  return {
    modelName: draft.name,
    imageAccountId: image.accountId,
    imageId: image.imageId,
    taskType: draft.taskType,
    languages: draft.languages,
    hostingType: draft.hosting,
    resourceGroup: outside ? null : draft.resourceGroup,
    displayName: draft.displayName.trim() || null,
    shortDescription: draft.description.trim() || null,
  };
}
