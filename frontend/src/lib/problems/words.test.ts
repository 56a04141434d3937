import { describe, expect, test } from 'vitest';

import { type Problem, problemOf } from '@/api/problem';
import { createI18n, type Language } from '@/lib/i18n';
import { TEXTS } from '@/testing/render';

import { wordsOf } from './words';

const plain = (text: string | null) => text?.replaceAll(/[\u00a0\u202f]/g, ' ');

function said(
  code: string,
  args: Record<string, string> = {},
  language: Language = 'ru',
  status = 400,
): { title: string | undefined; text: string | undefined } {
  const problem: Problem = problemOf(status, { code, message: 'the server said this', status, args, requestId: 'r' });
  const { title, text } = wordsOf(problem, createI18n(language, TEXTS[language]));
  return { title: plain(title), text: plain(text) };
}

describe('the arguments of an error are written as the reader writes them', () => {
  test.each([
    [
      'mlp.gate.storage_limit_exceeded',
      { used: '1073741824', limit: '2147483648', size: '1536' },
      'Занято 1 ГиБ из 2 ГиБ, нужно ещё 1,5 КиБ.',
      '1 GiB of 2 GiB are used, and 1.5 KiB more are needed.',
    ],
    [
      'mlp.gate.pps_limit_exceeded',
      { limit: '12000' },
      'Аккаунту разрешено вызовов в секунду: 12 000.',
      'Calls that the account may make in a second: 12 000.',
    ],
    ['accountsadmin.too_many_attempts', { seconds: '45' }, 'Повторите через 45 с.', 'Try again in 45 s.'],
    ['accountsadmin.too_many_attempts', { seconds: '900' }, 'Повторите через 15 мин.', 'Try again in 15 min.'],
    [
      'mlp.gate.key_spending_limit_exceeded',
      { limit: '1500', currency: 'RUBLE', period: 'MONTH' },
      'Лимит расходов 1 500,00 ₽ в месяц не покрывает этот вызов.',
      'The spending limit of 1 500.00 ₽ per month does not cover the call.',
    ],
    [
      'mlp.gate.request_too_large',
      { limit: '3000', unit: 'characters' },
      'Предел: 3 000 символов.',
      'The limit: 3 000 characters.',
    ],
    ['mlp.gate.request_too_large', { limit: '1048576', unit: 'bytes' }, 'Предел: 1 МиБ.', 'The limit: 1 MiB.'],
    [
      'mlp.core.resource_limit_exceeded',
      { name: 'cpuLimit', allowed: '4000m', used: '1500m', needed: '21000m' },
      'Процессор: 4 ядра. Уже занято: 1,5 ядра. Нужно ещё: 21 ядро.',
      'CPU: 4 cores. In use: 1.5 cores. Needed in addition: 21 cores.',
    ],
    [
      'mlp.core.resource_limit_exceeded',
      { name: 'memoryLimit', allowed: '65536Mi', used: '0Mi', needed: '1536Mi' },
      'Память: 64 ГиБ. Уже занято: 0 Б. Нужно ещё: 1,5 ГиБ.',
      'Memory: 64 GiB. In use: 0 B. Needed in addition: 1.5 GiB.',
    ],
    [
      'mlp.core.resource_limit_exceeded',
      { name: 'gpuModelInstanceLimit', allowed: '1200', used: '2', needed: '1' },
      '1 200 экземпляров. Уже занято: 2 экземпляра. Нужно ещё: 1 экземпляр.',
      '1 200 instances. In use: 2 instances. Needed in addition: 1 instance.',
    ],
    [
      'mlp.core.resource_limit_exceeded',
      { name: 'newerLimit', allowed: '4q', used: '?', needed: '7' },
      'newerLimit: 4q. Уже занято: ?. Нужно ещё: 7.',
      'newerLimit: 4q. In use: ?. Needed in addition: 7.',
    ],
    [
      'mlp.core.dataset_limit_exceeded',
      { used: '2048', limit: '2048' },
      'Занято: 2 048 из 2 048.',
      'In use: 2 048 of 2 048.',
    ],
    [
      'mlp.core.image_limit_exceeded',
      { used: '2048', limit: '2048' },
      'Занято: 2 048 из 2 048.',
      'In use: 2 048 of 2 048.',
    ],
    [
      'mlp.core.data_image_limit_exceeded',
      { used: '2048', limit: '2048' },
      'Занято: 2 048 из 2 048.',
      'In use: 2 048 of 2 048.',
    ],
    [
      'mlp.core.storage_limit_exceeded',
      { name: 'storageLimit', used: '1073741824', limit: '2147483648', size: '1536' },
      'Хранилище: 2 ГиБ. Занято: 1 ГиБ. Нужно ещё: 1,5 КиБ.',
      'Storage: 2 GiB. In use: 1 GiB. Needed in addition: 1.5 KiB.',
    ],
    [
      'mlp.core.dataset_content_invalid',
      { line: '1', column: '1', problem: 'archive_too_large', max: '268435456' },
      'распакованный файл больше 256 МиБ.',
      'the file unpacks to more than 256 MiB.',
    ],
    [
      'mlp.core.dataset_content_invalid',
      { line: '1', column: '1', problem: 'too_many_rows', max: '1048576' },
      '1 048 576',
      '1 048 576',
    ],
    [
      'mlp.core.name_already_exists',
      { entity: 'a resource group', name: 'gpu' },
      'Уже есть группа ресурсов с именем «gpu».',
      'Another resource group has the name “gpu”.',
    ],
    [
      'mlp.gate.share_exceeded',
      { holder: 'account', resource: 'calls', limit: '8' },
      'Сейчас занято всё, что разрешено: вызовы — 8.',
      'All that is allowed is taken now: calls — 8.',
    ],
    ['mlp.gate.access_denied', { permission: 'write' }, 'Нужно право «', 'This needs the permission “Manage”'],
    [
      'mlp.gate.access_denied',
      { role: 'OWNER' },
      'Нужна роль «Владелец» в этом аккаунте.',
      'This needs the role “Owner” in the account.',
    ],
    [
      'mlp.gate.access_denied',
      { feature: 'mlp.test_form' },
      'Аккаунту это не разрешено: «',
      'The account may not do this: “Use the test form”.',
    ],
    [
      'mlp.gate.access_denied',
      { feature: 'mlp.newer' },
      'Аккаунту это не разрешено: «mlp.newer».',
      'The account may not do this: “mlp.newer”.',
    ],
    [
      'mlp.gate.access_denied',
      { right: 'permissions' },
      'Это действие не разрешено вашей ролью',
      'Your role, the key or the features',
    ],
    [
      'mlp.core.task_not_interruptible',
      { status: 'COMPLETED' },
      'Её состояние: «завершена».',
      'Its state: “completed”.',
    ],
  ])('%s %o', (code, args, russian, english) => {
    expect(said(code, args).text).toContain(russian);
    expect(said(code, args, 'en').text).toContain(english);
  });

  test('an object is named', () => {
    expect([
      said('mlp.core.not_found', { entity: 'image' }).title,
      said('mlp.core.not_found', { entity: 'image' }, 'en').title,
    ]).toEqual(['Не найдено: образ', 'Not found: image']);
  });

  test('a value that refers to other texts is shown as it is', () => {
    expect(said('mlp.gate.llm_not_allowed', { llm: '$t(Error:again) {{chain}}' }).text).toContain(
      '$t(Error:again) {{chain}}',
    );
  });
});

describe("without a text the words are the server's", () => {
  test('of an error of the platform that is not known', () => {
    expect(said('mlp.core.newer_than_this_page')).toEqual({
      title: 'Платформа отказала',
      text: 'the server said this',
    });
  });

  test('of an error of a service', () => {
    expect(said('ner.text_too_odd')).toEqual({ title: 'Сервис вернул ошибку', text: 'the server said this' });
  });

  test('of an error whose text needs an argument that did not come', () => {
    expect(said('mlp.gate.predict_timeout')).toEqual({
      title: 'Сервис не ответил вовремя',
      text: 'the server said this',
    });
  });

  test.each(['__proto__', 'constructor', 'toString', '', 'mlp', 'mlp.gate', 'a:b', 'x'.repeat(10_000)])(
    'of the code %s',
    (code) => {
      expect(said(code).text).toBe('the server said this');
    },
  );

  test('a server in front of the platform is named by its status', () => {
    expect(wordsOf(problemOf(502, '<html>'), createI18n('en', TEXTS.en)).title).toBe(
      'The server answered with the error 502',
    );
  });
});
