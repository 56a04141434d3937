import { expect, test } from 'vitest';

import { faviconState } from './favicon';

test.each([
  [{ tasks: null, notifications: null, running: false }, null],
  [{ tasks: 'info', notifications: null, running: true }, 'running'],
  [{ tasks: 'info', notifications: 'warning', running: true }, 'unread'],
  [{ tasks: 'danger', notifications: 'info', running: true }, 'failed'],
  [{ tasks: null, notifications: 'danger', running: false }, 'failed'],
])('%o: %s', (facts, state) => expect(faviconState(facts)).toBe(state));
