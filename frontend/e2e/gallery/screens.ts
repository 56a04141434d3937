import type { Reader } from './platform';

export interface Screen {
  name: string;
  path: string;
  reader: Reader;
  /** The accessible name of a button that opens something over the page, by language. */
  opens?: Record<'ru' | 'en', RegExp>;
}

const of = (reader: Reader, pages: Record<string, string>): Screen[] => Object.entries(pages).map(([name, path]) => ({ name, path, reader }));
const SERVICE = '/workspace/model/1/1';

export const SCREENS: readonly Screen[] = [
  ...of('visitor', {
    landing: '/',
    catalogue: '/catalog',
    service: '/catalog/acme/ner-ru',
    'service-about': '/catalog/acme/ner-ru/about',
    'service-api': '/catalog/acme/ner-ru/api',
    documentation: '/docs/limits',
    'api-documents': '/swagger-ui',
    login: '/c/login',
    register: '/c/register',
    'forgot-password': '/c/forgot-password',
    'application-sign-in': '/app/auth',
    'refused-403': '/403',
    'missing-404': '/404',
  }),
  ...of('member', {
    workspace: '/workspace',
    services: '/workspace/services',
    'service-groups': '/workspace/service-groups',
    'create-service': '/workspace/create-service',
    images: '/workspace/images',
    'resource-groups': '/workspace/resource-groups',
    'resource-group': '/workspace/resource-group/1/main',
    'resource-group-settings': '/workspace/resource-group/1/main/settings',
    'api-keys': '/workspace/api-keys',
    secrets: '/workspace/secrets',
    billing: '/workspace/billing',
    account: '/workspace/account-info',
    'own-service': SERVICE,
    'own-service-diagnostics': `${SERVICE}/diagnostic`,
    'own-service-events': `${SERVICE}/events`,
    'own-service-settings': `${SERVICE}/settings`,
    tasks: '/job-status',
    application: '/app/acme/ner-ru',
    'select-account': '/c/select-account',
    logout: '/c/logout',
  }),
  { name: 'popover-tasks', path: '/workspace/billing', reader: 'member', opens: { ru: /^Фоновые задачи/, en: /^Background tasks/ } },
  { name: 'popover-notifications', path: '/workspace/billing', reader: 'member', opens: { ru: /^Уведомления/, en: /^Notifications/ } },
  { name: 'popover-balance', path: '/workspace/billing', reader: 'member', opens: { ru: /^Баланс/, en: /^Balance/ } },
  { name: 'menu-account', path: '/workspace/billing', reader: 'member', opens: { ru: /^Меню$/, en: /^Menu$/ } },
  { name: 'modal-refill', path: '/workspace/billing', reader: 'member', opens: { ru: /^Пополнить/, en: /^Refill/ } },
  ...of('superadmin', { accounts: '/superadmin', 'team-requests': '/superadmin/requests', broadcast: '/superadmin/broadcast', domains: '/superadmin/domains' }),
];
