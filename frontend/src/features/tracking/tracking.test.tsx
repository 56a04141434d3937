import { fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';

import { BatchQueue } from '@/lib/predict/batchQueue';
import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, server, signedIn, signedOut } from '@/testing/server';

import { clicked, navigationEvent } from './events';
import { useTracking } from './useTracking';

test.each([
  ['<button data-element-id="5"><b>x</b></button>', { description: 'button', elementId: 5 }],
  ['<a href="#"><b>x</b></a>', { description: 'link', elementId: null }],
  ['<input role="switch"><b></b>', { description: 'switch', elementId: null }],
  ['<textarea></textarea>', { description: 'input', elementId: null }],
  ['<p><b>x</b></p>', null],
])('%s', (html, what) => {
  document.body.innerHTML = html;
  expect(
    clicked(
      document.querySelector('b') && html.includes('<b>x')
        ? document.querySelector('b')
        : document.querySelector('input, textarea'),
    ),
  ).toEqual(what);
});

test('a navigation says from where to where', () => {
  expect(navigationEvent(1, '/a', '/b', 2)).toEqual({
    accountId: 1,
    eventType: 'navigation',
    description: 'from /a to /b',
    pageUrl: '/b',
    creationTime: 2,
  });
});

function Page() {
  useTracking();
  return <button type="button">{useSession().state}</button>;
}

test('clicks of people who are known are sent in a batch', async () => {
  signedIn({}, { saveClicksEnabled: true });
  const batches: unknown[] = [];
  server.use(
    http.post('*/api/mlpcore/clicks', async ({ request }) => {
      batches.push(await request.json());
      return new HttpResponse(null);
    }),
  );
  show(<Page />);
  const button = await screen.findByRole('button', { name: 'signed-in' });
  await waitFor(
    () => {
      fireEvent.click(button);
      expect(batches).toHaveLength(1);
    },
    { interval: 200 },
  );
  expect(batches[0]).toContainEqual(
    expect.objectContaining({
      accountId: ANN.accountId,
      eventType: 'click',
      description: 'button',
      pageUrl: window.location.href,
    }),
  );
});

test.each([
  ['a visitor', signedOut],
  ['who is not to be noted', () => signedIn({}, { saveClicksEnabled: false })],
])('nothing is sent of %s', async (_, who) => {
  who();
  const sent = vi.spyOn(BatchQueue.prototype, 'push');
  show(<Page />);
  fireEvent.click(await screen.findByRole('button', { name: /signed-in|anonymous/ }));
  expect(sent).not.toHaveBeenCalled();
  sent.mockRestore();
});
