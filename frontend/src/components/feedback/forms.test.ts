import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FORM = /<form\b|component="form"/;
/** What people fill in or choose. */
const INPUT =
  /<(?:TextInput|NumberInput|Textarea|PasswordInput|Select|MultiSelect|NativeSelect|Checkbox|Switch|FileButton|FileInput|TagField|Json)\b/;
/** What sends it. */
const SENT = /Mutation\(\)|useUpload\(\)|useCreation\(/;
/** `FormBanner` shows a refusal where it was made, brings it into view and gives it the focus; so do the scope of settings and
 * the dialogs with a form that has one. */
const SHOWN = /<(?:FormBanner|EntryForm|ReasonDialog|SettingsForm)\b|\buseDraft\(/;
/** Forms that send nothing which could be refused. */
const SEND_NOTHING = ['src/features/bucket/NewFolder.tsx', 'src/routes/errors.tsx'];
/** The form of settings itself: `SaveScope` brings its errors into view. */
const SETTINGS = 'src/components/settings/SettingsForm.tsx';

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))
  .map((file) => join(file.parentPath, file.name))
  .map((file) => ({ file, code: readFileSync(file, 'utf8') }));
const forms = files.filter(({ code }) => FORM.test(code) || (INPUT.test(code) && SENT.test(code)));

test('each form shows its refusal itself, where people see it', () => {
  const silent = forms.filter(
    ({ file, code }) => !SHOWN.test(code) && !SEND_NOTHING.includes(file) && file !== SETTINGS,
  );
  expect(silent.map(({ file }) => file)).toEqual([]);
});

test('forms are found', () => {
  expect(forms.length).toBeGreaterThan(30);
  for (const known of [
    'features/service/CloneService.tsx',
    'features/datasets/DatasetContent.tsx',
    'features/superadmin/account/Access.tsx',
    'features/superadmin/account/Refill.tsx',
    'routes/workspace/CreateServicePage.tsx',
  ]) {
    expect(forms.map(({ file }) => file)).toContain(`src/${known}`);
  }
});
