import { api } from "@/api/base";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        accountsGetSession: build.query<AccountsGetSessionApiResponse, AccountsGetSessionApiArg>({
            query: () => ({ url: `/api/accountsadmin/c/authorization/session` }),
        }),
        accountsListAllowedAccounts: build.query<
            AccountsListAllowedAccountsApiResponse,
            AccountsListAllowedAccountsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/users/${encodeURIComponent(String(queryArg.userId))}/allowed-accounts`,
                params: {
                    product: queryArg.product,
                },
            }),
        }),
        accountsGetPublicOptions: build.query<AccountsGetPublicOptionsApiResponse, AccountsGetPublicOptionsApiArg>({
            query: () => ({ url: `/api/accountsadmin/public/options` }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as accountsFirst };
export type AccountsGetSessionApiResponse = /** status 200 Successful Response */ CurrentSession;
export type AccountsGetSessionApiArg = void;
export type AccountsListAllowedAccountsApiResponse = /** status 200 Successful Response */ AllowedAccount[];
export type AccountsListAllowedAccountsApiArg = {
    userId: number;
    product?: string | null;
};
export type AccountsGetPublicOptionsApiResponse = /** status 200 Successful Response */ PublicOptions;
export type AccountsGetPublicOptionsApiArg = void;
export type UserData = {
    features: string[];
    permissions: string[];
    login: string;
    userId: number;
    accountId: number | null;
    internal: boolean;
    accountOwner: boolean;
};
export type CurrentSession = {
    user: UserData | null;
};
export type ViolationBody = {
    path: string;
    rule: string;
    args: {
        [key: string]: string;
    };
};
export type ErrorBody = {
    code: string;
    message: string;
    status: number;
    args: {
        [key: string]: string;
    };
    requestId: string;
    violations?: ViolationBody[];
};
export type AllowedAccount = {
    id: number;
    name: string;
    availableToSelect: boolean;
};
export type DomainOption = {
    domain: string;
    product: string;
    internalUserUiAvailable: boolean;
    ownerOnly: boolean;
};
export type PublicOptions = {
    domains: DomainOption[];
    mailAvailable: boolean;
};
export const { useAccountsGetSessionQuery, useAccountsListAllowedAccountsQuery, useAccountsGetPublicOptionsQuery } =
    injectedRtkApi;
