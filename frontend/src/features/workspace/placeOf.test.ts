import { expect, test } from 'vitest';

import { placeOf } from './WorkspaceFrame';

test.each([
  ['/workspace', 'home'],
  ['/workspace/', 'home'],
  ['/workspace/model/5/7/settings/access', 'services'],
  ['/workspace/resource-group/5/pool/servers', 'resource-groups'],
  ['/workspace/server-templates', 'server-templates'],
  ['/workspace/api-keys', 'api-keys'],
  ['/workspace/secrets', 'secrets'],
  ['/workspace/registries', 'registries'],
  ['/workspace/image/5/7/usage', 'images'],
  ['/workspace/data-image/5/7/usage', 'data-images'],
  ['/workspace/unknown', null],
])('%s is in %s', (pathname, place) => {
  expect(placeOf(pathname)).toBe(place);
});
