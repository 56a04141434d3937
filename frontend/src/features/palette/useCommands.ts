import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { loginAddress } from '@/lib/redirects';
import type { Session } from '@/lib/session';
import { useBack } from '@/lib/useBack';

import type { Item } from './items';
import { placesOf } from './places';

interface Options {
  session: Session;
  /** The other language, if there is one. */
  language: { name: string; choose: () => void } | null;
  onHelp: () => void;
}

function action(id: string, title: string, what: Pick<Item, 'to' | 'href' | 'run' | 'keys'>): Item {
  return { id: `action ${id}`, group: 'actions', title, ...what };
}

/** Pages and actions, known without asking the server. */
export function useCommands({ session, language, onHelp }: Options): Item[] {
  useTranslation('Places');
  useTranslation('Keys');
  useTranslation('Balance');
  useTranslation('Keyboard');
  const { t } = useTranslation('Palette');
  const back = useBack();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const member = session.state === 'signed-in' && session.accountId !== null && !session.isSuperadmin;
  const pages = placesOf(session).map(({ letter, text, to }): Item => ({
    id: `page ${to}`,
    group: 'pages',
    title: t(text),
    to,
    keys: `g ${letter}`,
  }));
  const docs: Item = { id: 'page docs', group: 'pages', title: t('Header:docs'), to: '/docs' };
  const own = member
    ? [
        action('service', t('Header:create'), { to: '/workspace/create-service' }),
        action('key', t('Keys:create'), { to: '/workspace/api-keys?new' }),
        action('refill', t('Balance:refill'), { to: '/workspace/billing?modal=refill' }),
      ]
    : [];
  const leave =
    session.state === 'signed-in'
      ? [action('logout', t('Header:logout'), { href: '/c/logout' })]
      : [
          action('login', t('Header:login'), { href: loginAddress(back) }),
          action('register', t('Service:signUp'), { href: '/c/register' }),
        ];
  return [
    ...pages,
    docs,
    ...own,
    ...(language ? [action('language', `${t('language')}: ${language.name}`, { run: language.choose })] : []),
    action('theme', t(dark ? 'Header:light' : 'Header:dark'), { run: () => setColorScheme(dark ? 'light' : 'dark') }),
    action('help', t('Keyboard:title'), { run: onHelp, keys: '?' }),
    ...leave,
  ];
}
