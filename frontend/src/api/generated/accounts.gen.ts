import { firstApi as api } from "@/api/first";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        accountsSignIn: build.mutation<AccountsSignInApiResponse, AccountsSignInApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/login`,
                method: "POST",
                body: queryArg.loginInput,
            }),
        }),
        accountsRegister: build.mutation<AccountsRegisterApiResponse, AccountsRegisterApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/register`,
                method: "POST",
                body: queryArg.registerInput,
            }),
        }),
        accountsSignOut: build.mutation<AccountsSignOutApiResponse, AccountsSignOutApiArg>({
            query: () => ({ url: `/api/accountsadmin/c/authorization/logout`, method: "POST" }),
        }),
        accountsChangePassword: build.mutation<AccountsChangePasswordApiResponse, AccountsChangePasswordApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/change-password`,
                method: "POST",
                body: queryArg.changePasswordInput,
            }),
        }),
        accountsForgotPassword: build.mutation<AccountsForgotPasswordApiResponse, AccountsForgotPasswordApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/forgot-password`,
                method: "POST",
                body: queryArg.forgotPasswordInput,
            }),
        }),
        accountsResetPassword: build.mutation<AccountsResetPasswordApiResponse, AccountsResetPasswordApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/reset-password`,
                method: "POST",
                body: queryArg.resetPasswordInput,
            }),
        }),
        accountsConfirmEmail: build.mutation<AccountsConfirmEmailApiResponse, AccountsConfirmEmailApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/confirm-email`,
                method: "POST",
                body: queryArg.confirmEmailInput,
            }),
        }),
        accountsSendEmailConfirmation: build.mutation<
            AccountsSendEmailConfirmationApiResponse,
            AccountsSendEmailConfirmationApiArg
        >({
            query: () => ({ url: `/api/accountsadmin/c/authorization/send-confirmation`, method: "POST" }),
        }),
        accountsCheckAuthorized: build.query<AccountsCheckAuthorizedApiResponse, AccountsCheckAuthorizedApiArg>({
            query: () => ({ url: `/api/accountsadmin/c/authorization/check-authorized` }),
        }),
        accountsGetSignedInPerson: build.query<AccountsGetSignedInPersonApiResponse, AccountsGetSignedInPersonApiArg>({
            query: () => ({ url: `/api/accountsadmin/c/users/current` }),
        }),
        accountsSelectAccount: build.mutation<AccountsSelectAccountApiResponse, AccountsSelectAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/authorization/select-account`,
                method: "POST",
                body: queryArg.selectAccountInput,
            }),
        }),
        accountsListSessions: build.query<AccountsListSessionsApiResponse, AccountsListSessionsApiArg>({
            query: () => ({ url: `/api/accountsadmin/c/sessions` }),
        }),
        accountsEndOtherSessions: build.mutation<AccountsEndOtherSessionsApiResponse, AccountsEndOtherSessionsApiArg>({
            query: () => ({ url: `/api/accountsadmin/c/sessions`, method: "DELETE" }),
        }),
        accountsEndSession: build.mutation<AccountsEndSessionApiResponse, AccountsEndSessionApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/sessions/${encodeURIComponent(String(queryArg.sessionId))}`,
                method: "DELETE",
            }),
        }),
        accountsGetAccount: build.query<AccountsGetAccountApiResponse, AccountsGetAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}`,
            }),
        }),
        accountsUpdateAccount: build.mutation<AccountsUpdateAccountApiResponse, AccountsUpdateAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}`,
                method: "POST",
                body: queryArg.accountInput,
            }),
        }),
        accountsBlockAccount: build.mutation<AccountsBlockAccountApiResponse, AccountsBlockAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/accounts/${encodeURIComponent(String(queryArg.account))}/block`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        accountsUnblockAccount: build.mutation<AccountsUnblockAccountApiResponse, AccountsUnblockAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/accounts/${encodeURIComponent(String(queryArg.account))}/unblock`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        accountsListMembers: build.query<AccountsListMembersApiResponse, AccountsListMembersApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/member`,
            }),
        }),
        accountsSetMemberRoles: build.mutation<AccountsSetMemberRolesApiResponse, AccountsSetMemberRolesApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/member/${encodeURIComponent(String(queryArg.userId))}`,
                method: "PUT",
                body: queryArg.rolesInput,
            }),
        }),
        accountsEndMembership: build.mutation<AccountsEndMembershipApiResponse, AccountsEndMembershipApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/member/${encodeURIComponent(String(queryArg.userId))}`,
                method: "DELETE",
            }),
        }),
        accountsGetInvitationsByUser: build.query<
            AccountsGetInvitationsByUserApiResponse,
            AccountsGetInvitationsByUserApiArg
        >({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/account-invitation/get-by-user`,
                params: {
                    userId: queryArg.userId,
                },
            }),
        }),
        accountsAcceptInvitation: build.mutation<AccountsAcceptInvitationApiResponse, AccountsAcceptInvitationApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/account-invitation/${encodeURIComponent(String(queryArg.id))}/accept`,
                method: "POST",
            }),
        }),
        accountsDeclineInvitation: build.mutation<
            AccountsDeclineInvitationApiResponse,
            AccountsDeclineInvitationApiArg
        >({
            query: (queryArg) => ({
                url: `/api/accountsadmin/c/account-invitation/${encodeURIComponent(String(queryArg.id))}/decline`,
                method: "POST",
            }),
        }),
        accountsInviteToAccount: build.mutation<AccountsInviteToAccountApiResponse, AccountsInviteToAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/invitation`,
                method: "POST",
                body: queryArg.invitationInput,
            }),
        }),
        accountsListSentInvitations: build.query<
            AccountsListSentInvitationsApiResponse,
            AccountsListSentInvitationsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/invitation`,
            }),
        }),
        accountsWithdrawInvitation: build.mutation<
            AccountsWithdrawInvitationApiResponse,
            AccountsWithdrawInvitationApiArg
        >({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/invitation/${encodeURIComponent(String(queryArg.id))}`,
                method: "DELETE",
            }),
        }),
        accountsListUsers: build.query<AccountsListUsersApiResponse, AccountsListUsersApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/users`,
                params: {
                    name: queryArg.name,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        accountsSetUserPermissions: build.mutation<
            AccountsSetUserPermissionsApiResponse,
            AccountsSetUserPermissionsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/users/${encodeURIComponent(String(queryArg.userId))}/permissions`,
                method: "POST",
                body: queryArg.permissionsInput,
            }),
        }),
        accountsBlockUser: build.mutation<AccountsBlockUserApiResponse, AccountsBlockUserApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/users/${encodeURIComponent(String(queryArg.userId))}/block`,
                method: "POST",
            }),
        }),
        accountsUnblockUser: build.mutation<AccountsUnblockUserApiResponse, AccountsUnblockUserApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/users/${encodeURIComponent(String(queryArg.userId))}/unblock`,
                method: "POST",
            }),
        }),
        accountsListDomains: build.query<AccountsListDomainsApiResponse, AccountsListDomainsApiArg>({
            query: () => ({ url: `/api/accountsadmin/admin/domains` }),
        }),
        accountsReplaceDomains: build.mutation<AccountsReplaceDomainsApiResponse, AccountsReplaceDomainsApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/domains`,
                method: "PUT",
                body: queryArg.domainsInput,
            }),
        }),
        accountsListAudit: build.query<AccountsListAuditApiResponse, AccountsListAuditApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/admin/audit`,
                params: {
                    userId: queryArg.userId,
                    accountId: queryArg.accountId,
                    kind: queryArg.kind,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        accountsListAccountAudit: build.query<AccountsListAccountAuditApiResponse, AccountsListAccountAuditApiArg>({
            query: (queryArg) => ({
                url: `/api/accountsadmin/account/${encodeURIComponent(String(queryArg.account))}/audit`,
                params: {
                    kind: queryArg.kind,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as accountsApi };
export type AccountsSignInApiResponse = /** status 200 Successful Response */ SignedInData;
export type AccountsSignInApiArg = {
    loginInput: LoginInputWrite;
};
export type AccountsRegisterApiResponse = /** status 200 Successful Response */ SignedInData;
export type AccountsRegisterApiArg = {
    registerInput: RegisterInputWrite;
};
export type AccountsSignOutApiResponse = unknown;
export type AccountsSignOutApiArg = void;
export type AccountsChangePasswordApiResponse = unknown;
export type AccountsChangePasswordApiArg = {
    changePasswordInput: ChangePasswordInputWrite;
};
export type AccountsForgotPasswordApiResponse = unknown;
export type AccountsForgotPasswordApiArg = {
    forgotPasswordInput: ForgotPasswordInput;
};
export type AccountsResetPasswordApiResponse = unknown;
export type AccountsResetPasswordApiArg = {
    resetPasswordInput: ResetPasswordInputWrite;
};
export type AccountsConfirmEmailApiResponse = unknown;
export type AccountsConfirmEmailApiArg = {
    confirmEmailInput: ConfirmEmailInputWrite;
};
export type AccountsSendEmailConfirmationApiResponse = unknown;
export type AccountsSendEmailConfirmationApiArg = void;
export type AccountsCheckAuthorizedApiResponse = /** status 200 Successful Response */ UserData;
export type AccountsCheckAuthorizedApiArg = void;
export type AccountsGetSignedInPersonApiResponse = /** status 200 Successful Response */ SignedInPerson;
export type AccountsGetSignedInPersonApiArg = void;
export type AccountsSelectAccountApiResponse = unknown;
export type AccountsSelectAccountApiArg = {
    selectAccountInput: SelectAccountInput;
};
export type AccountsListSessionsApiResponse = /** status 200 Successful Response */ SessionData[];
export type AccountsListSessionsApiArg = void;
export type AccountsEndOtherSessionsApiResponse = unknown;
export type AccountsEndOtherSessionsApiArg = void;
export type AccountsEndSessionApiResponse = unknown;
export type AccountsEndSessionApiArg = {
    sessionId: number;
};
export type AccountsGetAccountApiResponse = /** status 200 Successful Response */ AccountDetails;
export type AccountsGetAccountApiArg = {
    /** account id, or short name */
    account: string;
};
export type AccountsUpdateAccountApiResponse = /** status 200 Successful Response */ AccountDetails;
export type AccountsUpdateAccountApiArg = {
    /** account id, or short name */
    account: string;
    accountInput: AccountInput;
};
export type AccountsBlockAccountApiResponse = /** status 200 Successful Response */ AccountDetails;
export type AccountsBlockAccountApiArg = {
    /** account id, or short name */
    account: string;
    body: AccountBlocking | null;
};
export type AccountsUnblockAccountApiResponse = /** status 200 Successful Response */ AccountDetails;
export type AccountsUnblockAccountApiArg = {
    /** account id, or short name */
    account: string;
    body: AccountBlocking | null;
};
export type AccountsListMembersApiResponse = /** status 200 Successful Response */ MemberData[];
export type AccountsListMembersApiArg = {
    /** account id, or short name */
    account: string;
};
export type AccountsSetMemberRolesApiResponse = /** status 200 Successful Response */ MemberData;
export type AccountsSetMemberRolesApiArg = {
    userId: number;
    /** account id, or short name */
    account: string;
    rolesInput: RolesInput;
};
export type AccountsEndMembershipApiResponse = unknown;
export type AccountsEndMembershipApiArg = {
    userId: number;
    /** account id, or short name */
    account: string;
};
export type AccountsGetInvitationsByUserApiResponse = /** status 200 Successful Response */ AccountInvitation[];
export type AccountsGetInvitationsByUserApiArg = {
    userId?: number | null;
};
export type AccountsAcceptInvitationApiResponse = unknown;
export type AccountsAcceptInvitationApiArg = {
    id: number;
};
export type AccountsDeclineInvitationApiResponse = unknown;
export type AccountsDeclineInvitationApiArg = {
    id: number;
};
export type AccountsInviteToAccountApiResponse = /** status 200 Successful Response */ SentInvitation;
export type AccountsInviteToAccountApiArg = {
    /** account id, or short name */
    account: string;
    invitationInput: InvitationInput;
};
export type AccountsListSentInvitationsApiResponse = /** status 200 Successful Response */ SentInvitation[];
export type AccountsListSentInvitationsApiArg = {
    /** account id, or short name */
    account: string;
};
export type AccountsWithdrawInvitationApiResponse = unknown;
export type AccountsWithdrawInvitationApiArg = {
    id: number;
    /** account id, or short name */
    account: string;
};
export type AccountsListUsersApiResponse = /** status 200 Successful Response */ UserPage;
export type AccountsListUsersApiArg = {
    name?: string;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type AccountsSetUserPermissionsApiResponse = unknown;
export type AccountsSetUserPermissionsApiArg = {
    userId: number;
    permissionsInput: PermissionsInput;
};
export type AccountsBlockUserApiResponse = unknown;
export type AccountsBlockUserApiArg = {
    userId: number;
};
export type AccountsUnblockUserApiResponse = unknown;
export type AccountsUnblockUserApiArg = {
    userId: number;
};
export type AccountsListDomainsApiResponse = /** status 200 Successful Response */ PublicOptions;
export type AccountsListDomainsApiArg = void;
export type AccountsReplaceDomainsApiResponse = /** status 200 Successful Response */ PublicOptions;
export type AccountsReplaceDomainsApiArg = {
    domainsInput: DomainsInput;
};
export type AccountsListAuditApiResponse = /** status 200 Successful Response */ AuditPage;
export type AccountsListAuditApiArg = {
    userId?: number | null;
    accountId?: number | null;
    kind?: SecurityEvent | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type AccountsListAccountAuditApiResponse = /** status 200 Successful Response */ AuditPage;
export type AccountsListAccountAuditApiArg = {
    /** account id, or short name */
    account: string;
    kind?: SecurityEvent | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type SignedInData = {
    userId: number;
    login: string;
    accountId: number | null;
    redirectUrl: string | null;
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
export type LoginInput = {
    login: string;
    redirectUrl?: string | null;
};
export type LoginInputWrite = {
    login: string;
    password: string;
    redirectUrl?: string | null;
};
export type RegisterInput = {
    login: string;
    accountName?: string | null;
    displayName?: string | null;
    language?: "RU" | "EN";
    redirectUrl?: string | null;
};
export type RegisterInputWrite = {
    login: string;
    password: string;
    accountName?: string | null;
    displayName?: string | null;
    language?: "RU" | "EN";
    redirectUrl?: string | null;
};
export type ChangePasswordInput = {};
export type ChangePasswordInputWrite = {
    currentPassword: string;
    newPassword: string;
};
export type ForgotPasswordInput = {
    login: string;
};
export type ResetPasswordInput = {};
export type ResetPasswordInputWrite = {
    token: string;
    newPassword: string;
};
export type ConfirmEmailInput = {};
export type ConfirmEmailInputWrite = {
    token: string;
};
export type UserData = {
    features: string[];
    permissions: string[];
    login: string;
    userId: number;
    accountId: number | null;
    internal: boolean;
    accountOwner: boolean;
};
export type SignedInPerson = {
    userId: number;
    login: string;
};
export type SelectAccountInput = {
    accountId: number;
};
export type SessionData = {
    id: number;
    createdAt: string;
    lastSeenAt: string;
    expiresAt: string;
    address: string;
    userAgent: string;
    current: boolean;
};
export type AccountDetails = {
    accountId: number;
    shortName: string;
    displayName: string;
    email: string;
    language: "RU" | "EN";
    ownerUserId: number;
    active: boolean;
    createdAt: string;
};
export type AccountInput = {
    displayName?: string | null;
    language?: ("RU" | "EN") | null;
    email?: string | null;
};
export type AccountBlocking = {
    reason?: string | null;
};
export type Role = "OWNER" | "MLP_DEVELOPER" | "MLP_USER";
export type MemberData = {
    userId: number;
    login: string;
    roles: Role[];
};
export type RolesInput = {
    roles: Role[];
};
export type AccountInvitation = {
    id: number;
    accountId: number;
    accountName: string;
    createdAt: string;
};
export type SentInvitation = {
    id: number;
    email: string;
    roles: Role[];
    createdAt: string;
};
export type InvitationInput = {
    email: string;
    roles: Role[];
};
export type Pagination = {
    totalElements: number;
    totalPages: number;
    pageNumber: number;
    pageSize: number;
};
export type UserRecord = {
    id: number;
    login: string;
    permissions: string[];
    internal: boolean;
    active: boolean;
    language: "RU" | "EN";
    createdAt: string;
};
export type UserPage = {
    paging: Pagination;
    records: UserRecord[];
};
export type PermissionsInput = {
    permissions: string[];
    internal?: boolean | null;
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
export type DomainInput = {
    domain: string;
    product: string;
    internalUserUiAvailable?: boolean;
    ownerOnly?: boolean;
};
export type DomainsInput = {
    domains: DomainInput[];
};
export type SecurityEvent =
    | "SIGNED_UP"
    | "SIGNED_IN"
    | "SIGN_IN_FAILED"
    | "SIGN_IN_LOCKED"
    | "SIGN_IN_SLOWED"
    | "SIGNED_OUT"
    | "PASSWORD_CHANGED"
    | "PASSWORD_RESET_ASKED"
    | "PASSWORD_RESET"
    | "EMAIL_CONFIRMED"
    | "SESSION_REVOKED"
    | "MEMBERSHIP_CHANGED"
    | "INVITATION_CREATED"
    | "INVITATION_WITHDRAWN"
    | "INVITATION_ACCEPTED"
    | "INVITATION_DECLINED"
    | "PERMISSIONS_CHANGED"
    | "USER_BLOCKED"
    | "USER_UNBLOCKED"
    | "ACCOUNT_CREATED"
    | "ACCOUNT_CHANGED"
    | "DOMAINS_CHANGED";
export type AuditRecord = {
    id: number;
    occurredAt: string;
    kind: SecurityEvent;
    actorUserId: number | null;
    userId: number | null;
    accountId: number | null;
    login: string | null;
    address: string;
    userAgent: string;
    details: {
        [key: string]: string;
    };
};
export type AuditPage = {
    paging: Pagination;
    records: AuditRecord[];
};
export const {
    useAccountsSignInMutation,
    useAccountsRegisterMutation,
    useAccountsSignOutMutation,
    useAccountsChangePasswordMutation,
    useAccountsForgotPasswordMutation,
    useAccountsResetPasswordMutation,
    useAccountsConfirmEmailMutation,
    useAccountsSendEmailConfirmationMutation,
    useAccountsCheckAuthorizedQuery,
    useAccountsGetSignedInPersonQuery,
    useAccountsSelectAccountMutation,
    useAccountsListSessionsQuery,
    useAccountsEndOtherSessionsMutation,
    useAccountsEndSessionMutation,
    useAccountsGetAccountQuery,
    useAccountsUpdateAccountMutation,
    useAccountsBlockAccountMutation,
    useAccountsUnblockAccountMutation,
    useAccountsListMembersQuery,
    useAccountsSetMemberRolesMutation,
    useAccountsEndMembershipMutation,
    useAccountsGetInvitationsByUserQuery,
    useAccountsAcceptInvitationMutation,
    useAccountsDeclineInvitationMutation,
    useAccountsInviteToAccountMutation,
    useAccountsListSentInvitationsQuery,
    useAccountsWithdrawInvitationMutation,
    useAccountsListUsersQuery,
    useAccountsSetUserPermissionsMutation,
    useAccountsBlockUserMutation,
    useAccountsUnblockUserMutation,
    useAccountsListDomainsQuery,
    useAccountsReplaceDomainsMutation,
    useAccountsListAuditQuery,
    useAccountsListAccountAuditQuery,
} = injectedRtkApi;
