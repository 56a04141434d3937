import { askEarly } from './answers';
import { initialLanguage, storedLanguage } from './language';
import { isOf, needsOf, type Part } from './parts';

/** What `scripts/early-files.ts` writes into the page: the files of each part, as numbers of the names. */
export interface Files {
  names: string[];
  parts: Record<Part, number[]>;
}

/** What tells members from visitors; an error has no user. */
type Session = { user?: { accountId: number | null } | null };

const SESSION = '/api/accountsadmin/c/authorization/session';
const SETTINGS = '/api/mlpcore/system-config/frontend-settings';

/**
 * Runs before the application has arrived. Asks for the answers and the files that the address will need, which the application
 * would find one after another.
 */
export function begin(path: string, files: Files | null): void {
  const { parts, memberParts, asks, memberAsks } = needsOf(path);
  preload(files, [initialLanguage(storedLanguage(), navigator.languages), ...parts]);
  const session = askEarly(SESSION);
  for (const asked of [SETTINGS, ...asks]) askEarly(asked).catch(() => undefined);
  session
    .then(async (answer) => {
      const { user } = (await answer.json()) as Session;
      if (!user) return;
      preload(files, memberParts);
      for (const asked of memberAsks) if (isOf(asked, user.accountId)) askEarly(asked).catch(() => undefined);
    })
    .catch(() => undefined);
}

function preload(files: Files | null, wanted: readonly Part[]): void {
  if (!files) return;
  const { names, parts } = files;
  for (const number of new Set(wanted.flatMap((part) => parts[part]))) {
    const link = document.createElement('link');
    link.rel = names[number]?.endsWith('.css') ? 'preload' : 'modulepreload';
    if (link.rel === 'preload') link.as = 'style';
    link.crossOrigin = '';
    link.href = `/assets/${names[number] ?? ''}`;
    document.head.append(link);
  }
}
