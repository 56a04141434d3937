import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { fill, hosting, LIMITS } from '@/testing/hosting';
import { server } from '@/testing/server';

import { limitsOf } from './room';

test('labels of servers are names and values, and the room is asked for what is typed', async () => {
  const { sent, save } = hosting();
  await userEvent.click(await screen.findByRole('button', { name: 'Add a label' }));
  fill('Name of the label', 'zone');
  fill('Value of the label', 'west');
  await waitFor(() =>
    expect(sent.room?.at(-1)).toMatchObject({
      resourceGroup: null,
      resourceLimits: { serverLabels: { zone: 'west' } },
    }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(save).toHaveBeenCalledWith({ resourceLimits: { ...LIMITS, serverLabels: { zone: 'west' } } }),
  );
});

const edited = (cpuRequest: string) => ({ resourceLimits: { ...LIMITS, cpuRequest, serverLabels: [] } });

test('an incomplete quantity asks for nothing', () => {
  expect(['', '2x', 'm'].map((text) => limitsOf(edited(text)))).toEqual([null, null, null]);
  expect(['0.5', '500m', '1e3'].map((text) => limitsOf(edited(text))?.cpuRequest)).toEqual(['0.5', '500m', '1e3']);
});

const SERVERS = {
  group: { ownerId: 9, name: 'mine' },
  servers: 2,
  fitting: 1,
  instances: 3,
  lacking: [],
  eachServer: [],
  limit: null,
};
const FREE = { milliCpu: 3000, ramMb: 6144, diskMb: 20_480, gpu: 3, vramMb: 49_152 };
const GPUS = [{ model: 'NVIDIA L4', vramMb: 24_576, count: 3, free: 3, freeVramMb: 24_576 }];

const rowOf = async (label: RegExp) =>
  (await screen.findByRole('textbox', { name: label })).closest('.mantine-InputWrapper-root');

test('beside each need stands what one server has left at most, and what all have', async () => {
  hosting();
  server.use(
    http.post('*/placement/preview', () =>
      HttpResponse.json({
        ...SERVERS,
        free: FREE,
        most: { ...FREE, milliCpu: 1500, ramMb: 4096, gpu: 2, vramMb: 49_152 },
        gpus: GPUS,
      }),
    ),
  );
  await userEvent.click(await screen.findByRole('switch', { name: /GPU/ }));
  for (const [label, left] of [
    [/^CPU$/, 'up to 1.5 free on one server, 3 in all'],
    [/^Memory$/, 'up to 4 GiB free on one server, 6 GiB in all'],
    [/^Disk$/, '20 GiB free'],
    [/^GPUs$/, 'up to 2 free on one server, 3 in all'],
    [/^Video memory/, 'up to 24 GiB free on one GPU, 48 GiB in all'],
  ] as const) {
    const row = await rowOf(label);
    await waitFor(() => expect(row?.textContent.replaceAll('\u00a0', ' ')).toContain(left));
  }
});

test('without servers nothing stands beside the needs', async () => {
  const { sent } = hosting();
  await waitFor(() => expect(sent.room).not.toEqual([]));
  expect(screen.queryByText(/free/)).not.toBeInTheDocument();
});
