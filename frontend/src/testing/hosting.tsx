import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { vi } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { SaveScope } from '@/components/settings/SaveScope';
import { Hosting } from '@/features/settings/hosting/Hosting';

import { modelOf } from './models';
import { show } from './render';
import { answers, server, signedIn } from './server';

/** Where the service is whose hosting is edited. */
export const MODEL = '/api/mlpcore/account/9/model/counter';
/** What it needs. */
export const LIMITS = {
  cpuRequest: '100m',
  memoryLimit: '500Mi',
  ephemeralDiskLimit: '100Mi',
  gpuRequested: false,
  gpuCount: null,
  gpuMemoryLimitMb: null,
  gpuModels: [],
  serverLabels: {},
};
const NUMBERS = {
  internalRequested: 0,
  internalActive: 0,
  internalInError: 0,
  hostingServerRequested: 1,
  hostingServerActive: 1,
  externalRequested: 0,
};

/** Shows the hosting of a service; `sent` are the bodies of requests, by what they change or ask for. */
export function hosting(part: Partial<ModelInfoData> = {}) {
  signedIn({ accountId: 9, permissions: ['MLP_DEVELOPER'] });
  answers(`${MODEL}/instances`, NUMBERS);
  answers('/api/mlpcore/account/9', { accountId: 9, shortName: 'acme', timeZone: 'Asia/Almaty' });
  answers('/api/mlpcore/account/9/deployable-resource-groups', [{ name: 'mine', ownerId: 9, isDefault: false }]);
  const sent: Record<string, unknown[]> = { model: [], instances: [], room: [] };
  server.use(
    http.post(`*${MODEL}`, async ({ request }) => (sent.model?.push(await request.json()), HttpResponse.json({}))),
    http.post(
      `*${MODEL}/instances`,
      async ({ request }) => (sent.instances?.push(await request.json()), new HttpResponse(null)),
    ),
    http.post(
      '*/placement/preview',
      async ({ request }) => (
        sent.room?.push(await request.json()),
        HttpResponse.json({
          group: null,
          servers: 0,
          fitting: 0,
          instances: 0,
          free: {},
          most: {},
          gpus: [],
          lacking: [],
          eachServer: [],
          limit: null,
        })
      ),
    ),
  );
  const model = {
    ...modelOf({ hostingType: 'INTERNAL', resourceGroup: null, ...part }),
    resourceLimits: LIMITS,
    minInstancesCount: 0,
    autoScalingConfiguration: { enabled: false, minInstanceCount: 0, scheduledInstanceCountSettings: [] },
    dataImageMounts: [],
    persistentVolumes: [],
  } as unknown as ModelInfoData;
  const save = vi.fn<(changed: object) => Promise<object>>(() => Promise.resolve({}));
  show(
    <SaveScope>
      <Hosting
        account="9"
        model={model}
        form={{ source: { ...model }, save, readOnly: false, texts: 'Settings', saved: 'Saved' }}
      />
    </SaveScope>,
  );
  return { sent, save };
}

/** At once: typing letter by letter renders the page as often. */
export const fill = (name: string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
export const choose = async (name: RegExp) => userEvent.click(await screen.findByRole('radio', { name }));
