import { http, HttpResponse } from 'msw';
import type { ReactElement } from 'react';

import { useSession } from '@/lib/session';

import { answerTo, type Reader, type ShownState } from '../../e2e/gallery/answers.ts';
import { show } from './render';
import { server } from './server';

/** The API answers what its committed OpenAPI documents promise, until the end of the test: what the screenshots show. */
export function platform(state: ShownState, reader: Reader = 'member'): void {
  server.use(
    http.all('*/api/*', ({ request }) => {
      const { status, type, body, headers } = answerTo(request.method, new URL(request.url).pathname, state, reader);
      return new HttpResponse(body, { status, headers: { ...headers, 'Content-Type': type } });
    }),
  );
}

/** Requests that match get no answer. */
export function silent(path: RegExp): void {
  server.use(http.get(path, () => new Promise<never>(() => undefined)));
}

/** Renders a page of the private area after the user is known, as the router does. */
export const showToMember: typeof show = (element, options) => show(<Known page={element} />, options);

function Known({ page }: { page: ReactElement }) {
  return useSession().state === 'signed-in' ? page : null;
}
