import { useForm } from '@mantine/form';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { asProblem, coreApi } from '@/api';
import type { Language } from '@/lib/i18n';
import { loadProblemTexts } from '@/lib/problems/texts';
import en from '@/locales/en.json';
import ru from '@/locales/ru.json';
import { server } from '@/testing/server';
import { show } from '@/testing/render';

import { FormBanner } from './FormBanner';
import { ProblemView } from './ProblemView';
import { useFormRefusal } from './useFormRefusal';
import { useProblemToast } from './useProblemToast';

const BARE = { ru, en };

function refuse(body: object, status = 409): void {
  const answer = () =>
    HttpResponse.json(
      { message: 'raw words of the server', status, args: {}, requestId: 'req-7', ...body },
      { status },
    );
  server.use(http.all('*/api/mlpcore/account/a/notification', answer));
}

function Listed() {
  const { error } = coreApi.useCoreGetNotificationsQuery({ account: 'a' });
  const problem = asProblem(error);
  return problem && <ProblemView problem={problem} />;
}

function Toasting() {
  const [mark] = coreApi.useCoreMarkNotificationsReadMutation();
  const toast = useProblemToast();
  return (
    <button
      type="button"
      onClick={() =>
        void mark({ account: 'a', notificationReadRequest: { ids: [] } }).then(({ error }) =>
          toast('It did not work', error),
        )
      }
    >
      act
    </button>
  );
}

function Form() {
  const [mark] = coreApi.useCoreMarkNotificationsReadMutation();
  const form = useForm({ initialValues: { login: '' } });
  const refusal = useFormRefusal(form);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void mark({ account: 'a', notificationReadRequest: { ids: [] } }).then(({ error }) => refusal.show(error));
      }}
    >
      <FormBanner refusal={refusal} />
      <p data-testid="login">{form.errors.login}</p>
      <input aria-label="login" aria-invalid={Boolean(form.errors.login)} />
      <button type="submit">act</button>
    </form>
  );
}

const CASES: [Language, string, string][] = [
  ['ru', 'Часть платформы временно не отвечает', 'Подробности'],
  ['en', 'A part of the platform does not answer', 'Details'],
];

afterEach(() => void vi.restoreAllMocks());

describe.each(CASES)('in %s', (language, title, details) => {
  const texts = BARE[language];

  test("a page says what happened once the texts are loaded, and has the server's words behind details", async () => {
    refuse({ code: 'mlp.core.unavailable' }, 503);
    show(<Listed />, { language, texts });
    const alert = await screen.findByRole('alert');
    expect(await within(alert).findByText(title)).toBeVisible();
    expect(within(alert).getByText('raw words of the server')).not.toBeVisible();
    expect(within(alert).getByText('req-7')).not.toBeVisible();
    await userEvent.click(within(alert).getByText(details));
    expect(within(alert).getByText('raw words of the server')).toBeVisible();
    expect(within(alert).getByText('req-7')).toBeVisible();
  });

  test('a toast says the same', async () => {
    refuse({ code: 'mlp.core.unavailable' }, 503);
    show(<Toasting />, { language, texts });
    await userEvent.click(screen.getByRole('button', { name: 'act' }));
    const toast = await screen.findByRole('alert');
    expect(within(toast).getByText('It did not work')).toBeVisible();
    expect(await within(toast).findByText(title)).toBeVisible();
    expect(within(toast).getByText(details)).toBeVisible();
    expect(within(toast).getByText('raw words of the server')).not.toBeVisible();
  });

  test('a form says it in its banner, and at the field that the error names, and shows where', async () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
    refuse({ code: 'mlp.core.unavailable' }, 503);
    show(<Form />, { language, texts });
    await userEvent.click(screen.getByRole('button', { name: 'act' }));
    expect(await within(await screen.findByRole('alert')).findByText(title)).toBeVisible();
    expect(scrolled.mock.instances).toEqual([screen.getByRole('alert')]);
    refuse({ code: 'accountsadmin.login_taken', message: 'login: a user with this login exists already' });
    await userEvent.click(screen.getByRole('button', { name: 'act' }));
    await waitFor(() =>
      expect(screen.getByTestId('login')).toHaveTextContent(
        language === 'ru' ? 'Пользователь с таким логином уже есть.' : 'A user with this login exists already.',
      ),
    );
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('textbox', { name: 'login' })).toHaveFocus();
  });
});

test('the details are copied as they came', async () => {
  refuse({ code: 'mlp.gate.pps_limit_exceeded', args: { limit: '5' } }, 429);
  const user = userEvent.setup();
  show(<Listed />);
  await user.click(await screen.findByText('Details'));
  await user.click(screen.getByRole('button', { name: 'Copy the details' }));
  expect(await navigator.clipboard.readText()).toBe(
    'code: mlp.gate.pps_limit_exceeded\nstatus: 429\nmessage: raw words of the server\nargs.limit: 5\nrequestId: req-7',
  );
});

test("without the texts the server's message is shown", async () => {
  const language = {
    language: 'en',
    hasResourceBundle: () => false,
    addResourceBundle: () => {
      throw new Error('no file');
    },
  };
  expect(await loadProblemTexts(language as never, 'en')).toBe(false);
  refuse({ code: 'ner.odd' });
  show(<Listed />, { texts: en });
  expect((await screen.findAllByText('raw words of the server'))[0]).toBeVisible();
});
