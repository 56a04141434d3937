import { describe, expect, test } from 'vitest';

import { addedText, completionCall, NO_SETTINGS, repliesOf, usageOf } from './conversation';

const HELLO = [{ role: 'user' as const, content: 'Hello' }];

describe('completionCall', () => {
  test('what was not set is left to the service', () => {
    expect(completionCall(HELLO, NO_SETTINGS)).toEqual({ data: { messages: HELLO, stream: true }, config: {} });
  });

  test('the language model goes with the request, figures into the config, the role before the talk', () => {
    const settings = { system: ' Be brief. ', model: 'small', temperature: 0, maxTokens: 20 };
    expect(completionCall(HELLO, settings)).toEqual({
      data: { model: 'small', messages: [{ role: 'system', content: 'Be brief.' }, ...HELLO], stream: true },
      config: { temperature: 0, max_tokens: 20 },
    });
  });
});

test.each([
  [{ choices: [{ delta: { content: 'a' } }] }, 'a'],
  [{ choices: [{ message: { content: 'whole' } }] }, 'whole'],
  [{ choices: [{ delta: {} }] }, ''],
  [
    {
      choices: [
        { message: { content: [{ type: 'text', text: 'x' }, { type: 'image_url' }, { type: 'text', text: 'y' }] } },
      ],
    },
    'xy',
  ],
  [{ choices: [] }, ''],
  ['text', ''],
  [null, ''],
])('%o adds "%s"', (part, text) => {
  expect(addedText(part)).toBe(text);
});

test('usage comes with the last part', () => {
  expect(usageOf({ usage: { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 } })).toEqual({
    prompt: 3,
    completion: 9,
  });
  expect(usageOf({ usage: null })).toBeNull();
});

test('a bot says texts, buttons, pictures and sounds; only secure addresses are followed', () => {
  const replies = [
    { type: 'text', text: 'Hi' },
    { type: 'buttons', buttons: ['Yes', 3] },
    { type: 'image', imageUrl: 'javascript:alert(1)' },
    { type: 'audio', audioUrl: 'https://x.example/a.ogg' },
    null,
    { type: 'dance' },
  ];
  expect(repliesOf({ replies })).toEqual([
    { kind: 'text', text: 'Hi' },
    { kind: 'buttons', buttons: ['Yes'] },
    { kind: 'audio', url: 'https://x.example/a.ogg' },
  ]);
  expect(repliesOf({ answer: 'Hi' })).toBeNull();
});
