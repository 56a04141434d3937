import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';

import { toastGeneral } from '@/components/feedback/Toasts';
import { choose, fill, hosting, LIMITS, MODEL } from '@/testing/hosting';
import { refusal, server } from '@/testing/server';

test('a fixed number of instances is set together with the other settings', async () => {
  const { sent, save } = hosting();
  const count = await screen.findByRole('textbox', { name: 'Instances' });
  await waitFor(() => expect(count).toHaveValue('1'));
  fill('Instances', '3');
  fill('Memory', '500Gi');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent.instances).toEqual([3]));
  expect(sent.model).toEqual([]);
  expect(save).toHaveBeenCalledWith({ resourceLimits: { ...LIMITS, memoryLimit: '500Gi' } });
});

test('a start that is refused is shown at its place, and no success beside it', async () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  const { save } = hosting();
  const args = { name: 'cpuLimit', allowed: '4000m', used: '3900m', needed: '200m' };
  server.use(
    http.post(`*${MODEL}/instances`, () =>
      HttpResponse.json({ ...refusal('mlp.core.resource_limit_exceeded', 403), args }, { status: 403 }),
    ),
  );
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Instances' })).toHaveValue('1'));
  fill('Instances', '3');
  fill('Memory', '500Gi');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const refused = await screen.findByRole('alert', { name: /limit of the account/ });
  expect(refused).toHaveTextContent('CPU: 4 cores. In use: 3.9 cores. Needed in addition: 0.2 cores.');
  await waitFor(() => expect(scrolled.mock.contexts).toContain(refused));
  expect(save).toHaveBeenCalled();
  expect(screen.getByRole('region', { name: 'Unsaved changes' })).toHaveTextContent('Changed: instances');
  toastGeneral('Something else');
  expect(await screen.findByText('Something else')).toBeInTheDocument();
  expect(screen.queryByText('Saved')).not.toBeInTheDocument();
});

test('whoever chooses a place outside reads what ends on the platform', async () => {
  const { sent } = hosting();
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Instances' })).toHaveValue('1'));
  expect(screen.queryByText(/instances on the platform end/)).not.toBeInTheDocument();
  await choose(/On my own machine/);
  expect(screen.getByText(/instances on the platform end/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent.model).toEqual([{ modelName: 'counter', hostingType: 'EXTERNAL', resourceGroup: null }]),
  );
  expect(sent.instances).toEqual([]);
});

test('automatic hosting asks for a least number and for no fixed one', async () => {
  const { sent } = hosting();
  await choose(/automatic number/);
  expect(screen.queryByRole('textbox', { name: 'Instances' })).not.toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Instances at least' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent.model).toEqual([{ modelName: 'counter', hostingType: 'AUTOMATIC', resourceGroup: null }]),
  );
});

test("what runs on the owner's machine needs no room of the platform", async () => {
  hosting();
  await screen.findByRole('textbox', { name: 'Memory' });
  await choose(/my own machine/);
  expect(screen.queryByRole('textbox', { name: 'Memory' })).not.toBeInTheDocument();
  expect(screen.queryByRole('textbox', { name: 'Resource group' })).not.toBeInTheDocument();
});

test('a prototype has needs and no instances', async () => {
  hosting({ prototype: true });
  expect(await screen.findByText(/A prototype does not run itself/)).toBeInTheDocument();
  expect(screen.queryByRole('textbox', { name: 'Instances' })).not.toBeInTheDocument();
});

test('the edited configuration is tried on recorded load before it is saved', async () => {
  const sums = { instanceHours: 24, cost: null, p95WaitMs: 0, mostInstances: 1 };
  const tried: unknown[] = [];
  const { save } = hosting({ hostingType: 'AUTOMATIC' });
  server.use(
    http.post(`*${MODEL}/autoscaling/dry-run`, async ({ request }) => {
      tried.push(await request.json());
      return HttpResponse.json({
        since: 1_700_000_000_000,
        stepSeconds: 300,
        knownMinutes: 1440,
        requestsPerMinute: [1, 2],
        instances: [1, 2],
        actualInstances: [1, null],
        waiting: [0, 0],
        simulated: { ...sums, instanceHours: 30.25, p95WaitMs: 1500, mostInstances: 2 },
        actual: sums,
        decisions: [{ decidedAt: 1_700_000_300_000, kind: 'SCALE_UP', reason: 'queue', before: 1, after: 2 }],
        startSeconds: 30,
        callsAtOnce: 4,
        priceOfInstanceHour: null,
      });
    }),
  );
  fill('Instances at least', '2');
  await userEvent.click(screen.getByRole('button', { name: 'Try on the last 24 hours' }));
  const table = await screen.findByRole('table', { name: 'The last 24 hours' });
  expect(table).toHaveTextContent('Instance-hours2430.3');
  expect(table).toHaveTextContent('Most instances12');
  expect(table).not.toHaveTextContent('Cost');
  expect(screen.getByText(/An instance works on 4 calls at once/)).toBeInTheDocument();
  expect(tried).toEqual([{ enabled: false, minInstanceCount: 2, scheduledInstanceCountSettings: [] }]);
  expect(save).not.toHaveBeenCalled();
  fill('Instances at least', '3');
  expect(await screen.findByText('The settings have changed since this run.')).toBeInTheDocument();
});

test('the schedule says whose clock it follows', async () => {
  hosting({ hostingType: 'AUTOMATIC' });
  await userEvent.click(await screen.findByRole('switch', { name: 'Scale by load' }));
  expect(await screen.findByText(/Times are those of Asia\/Almaty/)).toBeInTheDocument();
});

test('a wrong threshold is said at its field', async () => {
  const { save } = hosting({ hostingType: 'AUTOMATIC' });
  const path = 'autoScalingConfiguration.scaleDownLatencyThresholdMs';
  save.mockResolvedValue({
    error: {
      ...refusal('mlp.core.validation_error', 400),
      args: { [path]: 'is above' },
      violations: [{ path, rule: 'thresholds', args: {} }],
    },
  });
  await userEvent.click(await screen.findByRole('switch', { name: 'Scale by load' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const field = await screen.findByRole('textbox', { name: /Remove instances below this latency/ });
  await waitFor(() => expect(field).toBeInvalid());
  expect(field).toHaveAccessibleDescription(/must not be above/);
});
