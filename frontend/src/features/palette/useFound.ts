import { useTranslation } from 'react-i18next';

import { accountsApi, coreApi } from '@/api';
import type { AccountInfoData, ModelInfoData } from '@/api/generated/core.gen';
import { browser } from '@/lib/browser';
import type { Session } from '@/lib/session';

import { type Item, matches } from './items';

const MOST = 5;

function titleOf(model: ModelInfoData): string {
  return model.displayName ?? model.modelName;
}

function nameOf(model: ModelInfoData): string {
  return `${model.modelAccountName ?? model.id.accountId}/${model.modelName}`;
}

function publicItem(model: ModelInfoData): Item {
  const to = `/catalog/${encodeURIComponent(model.modelAccountName ?? String(model.id.accountId))}/${encodeURIComponent(model.modelName)}`;
  return {
    id: `model ${model.id.accountId} ${model.id.modelId}`,
    group: 'catalogue',
    title: titleOf(model),
    hint: nameOf(model),
    to,
  };
}

function ownItem(model: ModelInfoData): Item {
  const to = `/workspace/model/${model.id.accountId}/${model.id.modelId}`;
  return {
    id: `model ${model.id.accountId} ${model.id.modelId}`,
    group: 'own',
    title: titleOf(model),
    hint: nameOf(model),
    to,
  };
}

interface Answer {
  data?: { records: readonly ModelInfoData[] } | undefined;
  currentData?: { records: readonly ModelInfoData[] } | undefined;
}

/** Until the server has answered `query`, those of its last answer that match: so what is chosen does not vanish in between. */
function recordsOf({ data, currentData }: Answer, query: string, asked: string): readonly ModelInfoData[] {
  if (asked === query && currentData) return currentData.records;
  return (data?.records ?? []).filter((model) => matches(query, titleOf(model), nameOf(model)));
}

/** Services on the server; it is asked for `asked`, which follows `query` when the typing pauses. Nothing is asked for an empty one. */
export function useFoundServices(query: string, asked: string, account: string | null) {
  const nothing = asked === '';
  const open = coreApi.useCoreGetPublicModelsQuery(
    { modelField: asked, onlyPublic: true, page: 0, size: MOST },
    { skip: nothing },
  );
  const own = coreApi.useCoreGetPagedModelsQuery(
    { account: account ?? '', onlyMy: true, modelField: asked, page: 0, size: MOST },
    { skip: nothing || account === null },
  );
  return {
    items:
      query === ''
        ? []
        : [...recordsOf(own, query, asked).map(ownItem), ...recordsOf(open, query, asked).map(publicItem)],
    searching: open.isFetching || own.isFetching,
    failed: !nothing && (open.isError || own.isError),
    again: () => {
      void open.refetch();
      if (account !== null) void own.refetch();
    },
  };
}

function administeredItem({ accountId, shortName, displayName }: AccountInfoData): Item {
  return {
    id: `administered ${accountId}`,
    group: 'administered',
    title: shortName,
    hint: displayName,
    to: `/superadmin/account/${accountId}`,
  };
}

/** Accounts of the platform, for superadmins; asked for like services. */
export function useFoundAccounts(query: string, asked: string, superadmin: boolean) {
  const nothing = asked === '' || !superadmin;
  const {
    data = [],
    currentData,
    isFetching,
    isError,
    refetch,
  } = coreApi.useCoreGetAccountsQuery({ name: asked, limit: MOST }, { skip: nothing });
  const found =
    asked === query && currentData
      ? currentData
      : data.filter(({ shortName, displayName }) => matches(query, shortName, displayName));
  return {
    items: query === '' || !superadmin ? [] : found.map(administeredItem),
    searching: isFetching,
    failed: !nothing && isError,
    again: () => {
      if (!nothing) void refetch();
    },
  };
}

/** The account's groups of servers and keys: few, so they are asked for once and searched here. */
export function useFoundObjects(query: string, account: string | null): Item[] {
  const skip = query === '' || account === null;
  const groups = coreApi.useCoreGetOwnedResourceGroupsQuery({ account: account ?? '' }, { skip });
  const keys = coreApi.useCoreListAccessTokensQuery({ account: account ?? '' }, { skip });
  if (skip) return [];
  const foundGroups = (groups.data ?? []).filter(({ name }) => matches(query, name));
  const foundKeys = (keys.data ?? []).filter(({ name }) => matches(query, name));
  return [
    ...foundGroups.slice(0, MOST).map(({ ownerId, name }): Item => ({
      id: `group ${ownerId} ${name}`,
      group: 'groups',
      title: name,
      to: `/workspace/resource-group/${ownerId}/${encodeURIComponent(name)}`,
    })),
    ...foundKeys.slice(0, MOST).map(({ token, name }): Item => ({
      id: `key ${token.split('.')[1] ?? ''}`,
      group: 'keys',
      title: name,
      to: '/workspace/api-keys',
    })),
  ];
}

/** The other accounts of the user. Staff who are here without an account select one on a page of its own. */
export function useAccountItems(query: string, session: Session): Item[] {
  const { t } = useTranslation('Header');
  const user = session.state === 'signed-in' && !session.user.internal ? session.user : null;
  const { data: accounts = [] } = accountsApi.useAccountsListAllowedAccountsQuery(
    { userId: user?.userId ?? 0 },
    { skip: user === null },
  );
  const [select] = accountsApi.useAccountsSelectAccountMutation();
  const others = accounts.filter(({ id, availableToSelect }) => availableToSelect && id !== user?.accountId);
  return others
    .filter(({ name }) => query === '' || matches(query, name, t('account')))
    .slice(0, MOST)
    .map(({ id, name }) => ({
      id: `account ${id}`,
      group: 'accounts',
      title: name,
      // A full load: nothing of the former account may stay on the page. A refusal is shown by the page of accounts.
      run: async () =>
        browser.go(
          'error' in (await select({ selectAccountInput: { accountId: id } })) ? '/c/select-account' : '/workspace',
        ),
    }));
}
