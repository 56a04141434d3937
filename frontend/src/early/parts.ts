/** Parts of the application that are loaded after its start, by the module that each begins with. `scripts/early-files.ts` finds their files. */
export const PARTS = {
  ru: ['src/locales/ru.json?first'],
  en: ['src/locales/en.json?first'],
  landing: ['src/routes/LandingPage.tsx', 'src/features/landing/LiveExample.tsx'],
  service: ['src/routes/ServicePage.tsx'],
  tried: ['src/features/landing/LiveExample.tsx'],
  member: ['src/features/shell/MemberTools.tsx'],
  workspace: ['src/app/Workspace.tsx'],
  space: ['src/routes/workspace/WorkspacePage.tsx'],
  own: ['src/routes/workspace/OwnServicePage.tsx'],
  settings: ['src/features/settings/SettingsTab.tsx'],
  playground: ['src/routes/Tried.tsx', 'src/features/playground/Playground.tsx'],
} as const satisfies Record<string, readonly string[]>;

export type Part = keyof typeof PARTS;

/** What an address needs of the application and of the platform, besides the session and the settings. */
export interface Needs {
  parts: Part[];
  /** Only for people who are signed in. */
  memberParts: Part[];
  asks: string[];
  /** Only for members of the account that is named in them: others are refused. */
  memberAsks: string[];
}

const CORE = '/api/mlpcore';
/** As `features/catalogue/useRows.ts` asks. */
const rowOf = (field: string) => `${CORE}/models?onlyPublic=true&size=9&sort=${field}%2Cdesc`;
const SERVICE = /^\/catalog\/([^/]+)\/([^/]+)(\/testing)?\/?$/;
const OWN = /^\/workspace\/model\/([^/]+)\/([^/]+)(\/[^/]+)?/;

/** Whether an address names this account. */
export const isOf = (ask: string, account: number | null): boolean => ask.startsWith(`${CORE}/account/${account}/`);

export function needsOf(path: string): Needs {
  const [service, own] = [SERVICE.exec(path), OWN.exec(path)];
  if (path === '/' || path === '/landing')
    return { parts: ['landing'], memberParts: ['member'], asks: [], memberAsks: [] };
  if (path === '/catalog')
    return {
      parts: [],
      memberParts: ['member'],
      asks: [
        `${CORE}/system-config/task-types`,
        `${CORE}/catalog-category`,
        `${CORE}/models/featured`,
        rowOf('popularity'),
        rowOf('id'),
      ],
      memberAsks: [],
    };
  if (service)
    return {
      parts: ['service', 'tried'],
      memberParts: ['member', 'playground'],
      asks: [`${CORE}/account/${service[1]}/model/${service[2]}`, `${CORE}/system-config/task-types`],
      memberAsks: [],
    };
  if (own)
    return {
      parts: [],
      memberParts: ['workspace', 'own', own[3] === '/settings' ? 'settings' : 'playground', 'member'],
      asks: [`${CORE}/account/${own[1]}/model/${own[2]}`, `${CORE}/system-config/task-types`],
      memberAsks: [`${CORE}/account/${own[1]}/model/${own[2]}/status`],
    };
  if (path === '/workspace')
    return { parts: [], memberParts: ['workspace', 'space', 'member'], asks: [], memberAsks: [] };
  return {
    parts: [],
    memberParts: path.startsWith('/workspace/') ? ['workspace', 'member'] : ['member'],
    asks: [],
    memberAsks: [],
  };
}
