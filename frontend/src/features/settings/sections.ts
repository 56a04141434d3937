import type { FieldSpec, SectionSpec } from '@/components/settings/fields';

/** The settings of a service by section. Titles and hints are in the locales under the same paths. */

const TASK_TYPES = [
  'text2vec',
  'text-classification',
  'ner',
  'text-processing',
  'chat-completion',
  'asr',
  'tts',
  'chat',
  'image-generation',
  'custom',
  'file_base64',
  'mcp_server',
];

const flag = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'switch', ...more });
const text = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'text', ...more });

export const MAIN: SectionSpec[] = [
  {
    title: 'about',
    fields: [
      text('displayName'),
      { path: 'shortDescription', kind: 'area' },
      { path: 'taskType', kind: 'select', options: TASK_TYPES },
      { path: 'languages', kind: 'tags', spaced: true },
      text('displayAuthor'),
      text('modelAuthorCompany'),
      text('modelLink'),
      { path: 'aliases', kind: 'tags' },
    ],
  },
  {
    title: 'kind',
    fields: [
      { path: 'modelType', kind: 'select', options: ['MLP', 'WEB_APPLICATION', 'MCP_SERVER'] },
      { path: 'protocols', kind: 'tags' },
      flag('prototype'),
      flag('composite'),
      flag('fittable'),
    ],
  },
];
