import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSession } from '@/lib/session';

import { grouped, type Item, matches } from './items';
import { readRecent } from './recent';
import { useCommands } from './useCommands';
import { useAccountItems, useFoundAccounts, useFoundObjects, useFoundServices } from './useFound';

const SEARCH_DELAY_MS = 200;

/** What the palette lists for the typed text: recent pages first, then all that is known here, then what the server found. */
export function usePalette(options: { language: { name: string; choose: () => void } | null; onHelp: () => void }) {
  const { t } = useTranslation('Palette');
  const session = useSession();
  const superadmin = session.state === 'signed-in' && session.isSuperadmin;
  // Also a superadmin's: what they opened is not for the visitor who comes after them.
  const keptFor = session.state === 'signed-in' ? session.accountId : null;
  const account = superadmin || keptFor === null ? null : String(keptFor);
  const [text, setText] = useState('');
  const query = text.trim();
  const [settled] = useDebouncedValue(query, SEARCH_DELAY_MS);
  const recent = useMemo(() => readRecent(localStorage, keptFor), [keptFor]);
  const services = useFoundServices(query, settled, account);
  const administered = useFoundAccounts(query, settled, superadmin);
  const objects = useFoundObjects(query, account);
  const accounts = useAccountItems(query, session);
  const commands = useCommands({ session, ...options });
  const shown = recent.map((item): Item => ({ ...item, group: 'recent' }));
  const local = [...shown, ...commands].filter(({ title, hint }) => query === '' || matches(query, title, hint));
  const groups = grouped([...local, ...administered.items, ...services.items, ...objects, ...accounts]);
  const searching = query !== '' && (services.searching || administered.searching || settled !== query);
  const failed = (services.failed || administered.failed) && !searching;
  const again = () => {
    services.again();
    administered.again();
  };
  const elsewhere: Item | null =
    query === ''
      ? null
      : {
          id: 'catalogue',
          group: 'catalogue',
          title: t('inCatalogue', { query }),
          to: `/catalog?${new URLSearchParams({ search: query }).toString()}`,
        };
  return { text, setText, query, groups, elsewhere, searching, failed, again, keptFor };
}
