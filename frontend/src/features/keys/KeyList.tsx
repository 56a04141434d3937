import { Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { Pager } from '@/components/Pager';
import { SearchBox } from '@/components/SearchBox';
import { useFilters } from '@/features/catalogue/useModels';

import { KeyCards } from './KeyCards';
import type { KeyHandlers } from './keyParts';
import { KeyTable } from './KeyTable';
import { keysShown, SEARCHED_FROM } from './keysShown';

interface Props extends KeyHandlers {
  keys: readonly AccessTokenData[];
  /** When the list was opened, in milliseconds. */
  now: number;
}

/** The server sends all keys; the list shows them in pages. */
export function KeyList({ keys, ...shared }: Props) {
  const { t } = useTranslation('Catalog');
  const narrow = useMediaQuery('(max-width: 768px)', false, { getInitialValueInEffect: false });
  const [{ search, page: asked }, change] = useFilters();
  const { shown, page, pages } = keysShown(keys, search, asked);
  const Shown = narrow ? KeyCards : KeyTable;
  return (
    <Stack gap="lg">
      {(search || keys.length >= SEARCHED_FROM) && <SearchBox search={search} onChange={change} />}
      {shown.length === 0 ? <Empty title={t('nothing')}>{t('nothingHint')}</Empty> : <Shown keys={shown} {...shared} />}
      <Pager page={page} pages={pages} onPage={(to) => change('page', to > 1 ? String(to) : null)} />
    </Stack>
  );
}
