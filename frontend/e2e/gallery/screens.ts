import type { Reader } from './platform';

export interface Screen {
  name: string;
  path: string;
  reader: Reader;
  /** What is pressed after the page has loaded, in order: names of buttons by language. */
  opens?: readonly Record<'ru' | 'en', RegExp>[];
  /** Keys that are pressed instead. */
  keys?: readonly string[];
  /** The answer is part of the page; whatever else opens lies over it. */
  inPage?: boolean;
}

const of = (reader: Reader, pages: Record<string, string>): Screen[] =>
  Object.entries(pages).map(([name, path]) => ({ name, path, reader }));
const SERVICE = '/workspace/model/1/1';
const BUCKET = '/workspace/s3-bucket';
const CONNECT = { ru: /^Как подключиться/, en: /^How to connect/ };
const opened = (name: string, path: string, ru: RegExp, en: RegExp, reader: Reader = 'member'): Screen => ({
  name,
  path,
  reader,
  opens: [{ ru, en }],
});

export const SCREENS: readonly Screen[] = [
  ...of('visitor', {
    landing: '/',
    catalogue: '/catalog',
    'catalogue-found': '/catalog?TaskType=ner',
    'catalogue-choosing': '/catalog?compare=acme%2Fner-ru',
    compare: '/catalog/compare?compare=acme/ner-ru,acme/speech,acme/similar',
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
    image: '/workspace/image/1/1',
    'image-usage': '/workspace/image/1/1/usage',
    'image-events': '/workspace/image/1/1/events',
    'data-images': '/workspace/data-images',
    'data-image': '/workspace/data-image/1/1',
    'data-image-usage': '/workspace/data-image/1/1/usage',
    'data-image-events': '/workspace/data-image/1/1/events',
    's3-bucket': '/workspace/s3-bucket',
    's3-bucket-folder': '/workspace/s3-bucket?prefix=raw%2F2026%2F',
    'resource-groups': '/workspace/resource-groups',
    'resource-group': '/workspace/resource-group/1/main',
    'resource-group-settings': '/workspace/resource-group/1/main/settings',
    'server-templates': '/workspace/server-templates',
    'api-keys': '/workspace/api-keys',
    secrets: '/workspace/secrets',
    billing: '/workspace/billing',
    account: '/workspace/account-info',
    'account-members': '/workspace/account-info/members',
    'account-limits': '/workspace/account-info/limits',
    'account-storage': '/workspace/account-info/storage',
    'account-security': '/workspace/account-info/security',
    'own-service': SERVICE,
    'own-service-diagnostics': `${SERVICE}/diagnostic`,
    'own-service-archive': `${SERVICE}/archive`,
    'own-service-about': `${SERVICE}/about`,
    'own-service-api': `${SERVICE}/api`,
    'own-service-events': `${SERVICE}/events`,
    'own-service-versions': `${SERVICE}/versions`,
    'own-service-settings': `${SERVICE}/settings`,
    'own-service-settings-access': `${SERVICE}/settings/access`,
    'own-service-settings-pricing': `${SERVICE}/settings/billing`,
    'own-service-settings-configuration': `${SERVICE}/settings/configuration`,
    'own-service-settings-hosting': `${SERVICE}/settings/hosting`,
    'own-service-settings-documentation': `${SERVICE}/settings/documentation`,
    'own-service-settings-configs': `${SERVICE}/settings/predict-config`,
    'billing-calls': '/workspace/billing?behind=MODEL.1',
    'resource-group-services': '/workspace/resource-group/1/main/services',
    tasks: '/job-status',
    application: '/app/acme/ner-ru',
    'select-account': '/c/select-account',
    logout: '/c/logout',
  }),
  opened('popover-tasks', '/workspace/billing', /^Фоновые задачи/, /^Background tasks/),
  opened('popover-notifications', '/workspace/billing', /^Уведомления/, /^Notifications/),
  opened('popover-balance', '/workspace/billing', /^Баланс/, /^Balance/),
  opened('menu-account', '/workspace/billing', /^(Меню$|ada)/, /^(Menu$|ada)/),
  opened('menu-visitor', '/catalog', /^Меню$/, /^Menu$/, 'visitor'),
  opened('menu-service', SERVICE, /^Действия|^Ещё/, /^Actions|^More/),
  opened('modal-refill', '/workspace/billing', /^Пополнить/, /^Refill/),
  opened('drawer-key', '/workspace/api-keys', /^Создать (первый )?ключ/, /^Create .*key/),
  opened('drawer-instance', `${SERVICE}/diagnostic`, /^ner-ru-1$/, /^ner-ru-1$/),
  opened('modal-restore', `${SERVICE}/versions`, /^Восстановить версию/, /^Restore version/),
  opened('drawer-bucket', BUCKET, CONNECT.ru, CONNECT.en),
  {
    name: 'modal-aws',
    path: BUCKET,
    reader: 'member',
    opens: [CONNECT, { ru: /^Команды для aws-cli/, en: /^Commands for aws-cli/ }],
  },
  {
    name: 'modal-notifications',
    path: '/workspace/billing',
    reader: 'member',
    opens: [
      { ru: /^Уведомления/, en: /^Notifications/ },
      { ru: /^Настройки$/, en: /^Settings$/ },
    ],
  },
  opened('drawer-server', '/workspace/resource-group/1/main', /^Добавить сервер/, /^Add (a )?server/),
  opened('drawer-server-template', '/workspace/server-templates', /^Создать шаблон/, /^Create a template/),
  opened('catalogue-filters', '/catalog', /^Фильтры/, /^Filters/, 'visitor'),
  { name: 'palette', path: '/catalog', reader: 'member', keys: ['Control+k'] },
  { name: 'keyboard', path: '/catalog', reader: 'member', keys: ['?'] },
  { ...opened('own-service-answer', SERVICE, /^Запустить/, /^Run/), inPage: true },
  { ...opened('service-answer', '/catalog/acme/ner-ru', /^Вызвать/, /^(Call|Run|Try)/, 'visitor'), inPage: true },
  ...of('superadmin', {
    accounts: '/superadmin',
    'administered-account': '/superadmin/account/1',
    'administered-account-people': '/superadmin/account/1/people',
    'administered-account-keys': '/superadmin/account/1/keys',
    'administered-account-services': '/superadmin/account/1/services',
    'administered-account-money': '/superadmin/account/1/money',
    'administered-account-limits': '/superadmin/account/1/limits',
    'administered-account-audit': '/superadmin/account/1/audit',
    'team-requests': '/superadmin/requests',
    broadcast: '/superadmin/broadcast',
    domains: '/superadmin/domains',
    licence: '/superadmin/licence',
  }),
];
