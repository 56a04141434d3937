/** Sections of the texts that the shell, the catalogue and parts of every page use. All others are loaded after the first render. */
export const FIRST_SECTIONS: ReadonlySet<string> = new Set([
  'App',
  'Catalog',
  'Error',
  'Footer',
  'Header',
  'Input',
  'Pager',
  'Palette',
  'Service',
  'Starting',
  'State',
  'Task',
  'Workspace',
]);

/** Sections of pages that most visits do not open: loaded last, or when a component needs one. */
export const LATER_SECTIONS: ReadonlySet<string> = new Set([
  'Account',
  'Accounts',
  'Admin',
  'Archive',
  'Balance',
  'BalanceRefillModal',
  'Billing',
  'Bucket',
  'Chart',
  'Compare',
  'Create',
  'DataImages',
  'Datasets',
  'Diagnostics',
  'Environment',
  'Events',
  'Examples',
  'FirstSteps',
  'Groups',
  'Images',
  'Keyboard',
  'Keys',
  'Landing',
  'Monitoring',
  'Mounts',
  'NewBuild',
  'NotificationChoices',
  'Owned',
  'Playground',
  'Registries',
  'Requests',
  'Resources',
  'Room',
  'Secrets',
  'Storage',
  'Upload',
  'Versions',
  'WelcomeBonus',
]);

export type Part = 'first' | 'rest' | 'later';

export function partOf(section: string): Part {
  if (FIRST_SECTIONS.has(section)) return 'first';
  return LATER_SECTIONS.has(section) ? 'later' : 'rest';
}
