import { expect, test } from 'vitest';

import type { EntityKey, EntityName } from '@/api/generated/core.gen';

import { entityLink } from './entityLinks';

const NOTHING: EntityKey = {
  accountId: 1,
  modelId: null,
  instanceId: null,
  groupOwnerId: null,
  groupName: null,
  serverId: null,
};

test.each<[EntityName, Partial<EntityKey>, string | null]>([
  ['model', { modelId: 5 }, '/workspace/model/1/5'],
  ['prototype', { modelId: 5 }, '/workspace/model/1/5'],
  ['instance', { modelId: 5, instanceId: 9 }, '/workspace/model/1/5/diagnostic/monitoring'],
  ['resource_group', { groupOwnerId: 2, groupName: 'gpu/1' }, '/workspace/resource-group/2/gpu%2F1'],
  [
    'resource_group_server',
    { groupOwnerId: 2, groupName: 'gpu', serverId: 3 },
    '/workspace/resource-group/2/gpu/servers',
  ],
  ['resource_quota', { groupOwnerId: 2, groupName: 'gpu' }, '/workspace/resource-group/2/gpu/quotas'],
  ['model', {}, null],
  ['resource_group', {}, null],
  ['resource_quota', { groupName: 'gpu' }, null],
  ['account', {}, null],
])('%s of %o is at %s', (name, key, address) => {
  expect(entityLink({ name, key: { ...NOTHING, ...key } })).toBe(address);
});
