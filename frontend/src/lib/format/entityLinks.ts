import type { EntityRef } from '@/api/generated/core.gen';

/** The page of a notification's or task's object; null if there is none. */
export function entityLink({ name, key }: EntityRef): string | null {
  const group =
    key.groupOwnerId !== null && key.groupName !== null
      ? `/workspace/resource-group/${key.groupOwnerId}/${encodeURIComponent(key.groupName)}`
      : null;
  switch (name) {
    case 'model':
    case 'prototype':
      return key.modelId === null ? null : `/workspace/model/${key.accountId}/${key.modelId}`;
    case 'instance':
      return key.modelId === null ? null : `/workspace/model/${key.accountId}/${key.modelId}/diagnostic/monitoring`;
    case 'resource_group':
      return group;
    case 'resource_group_server':
      return group && `${group}/servers`;
    case 'resource_quota':
      return group && `${group}/quotas`;
    case 'account':
      return null;
  }
}
