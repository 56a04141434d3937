/** The application's only API client: generated endpoints with checked parameters, and the tags that they invalidate. */
import { accountsApi } from './generated/accounts.gen';
import { billingApi } from './generated/billing.gen';
import { coreApi } from './generated/core.gen';
import { gatewayApi } from './generated/gateway.gen';
import { requiredParameters } from './generated/required.gen';
import { api } from './base';
import { checkedParameters } from './checked';

const withChecks = Object.fromEntries(
  Object.entries(requiredParameters).map(([endpoint, required]) => [
    endpoint,
    (definition: { query?: unknown }) => {
      if (typeof definition.query === 'function') {
        definition.query = checkedParameters(definition.query as Parameters<typeof checkedParameters>[0], required);
      }
    },
  ]),
);

const names = new Set([accountsApi, billingApi, coreApi, gatewayApi].flatMap((part) => Object.keys(part.endpoints)));
const known = Object.fromEntries(Object.entries(withChecks).filter(([endpoint]) => names.has(endpoint)));
// The table is generated from the same documents as the endpoints; callers do not need its types.
(api as { enhanceEndpoints: (options: { endpoints: object }) => unknown }).enhanceEndpoints({ endpoints: known });

coreApi.enhanceEndpoints({
  endpoints: {
    coreGetPublicModels: { providesTags: ['Models'] },
    coreGetPagedModels: { providesTags: ['Models'] },
    coreGetFeaturedModels: { providesTags: ['Models'] },
    coreGetModelCounts: { providesTags: ['Models'] },
    coreGetModelInfo: { providesTags: ['Model'] },
    coreGetModelBillingSettings: { providesTags: ['Model'] },
    coreCreateModel: { invalidatesTags: ['Models'] },
    coreCreateClonedModel: { invalidatesTags: ['Models', 'Tasks'] },
    coreRollingUpdate: { invalidatesTags: ['Instances', 'Tasks'] },
    coreUpdateModel: { invalidatesTags: ['Models', 'Model', 'Secrets'] },
    coreDeleteModel: { invalidatesTags: ['Models', 'Secrets'] },
    coreUpdateModelArchiveSettings: { invalidatesTags: ['Model'] },
    coreUpdateModelHttpSettings: { invalidatesTags: ['Model'] },
    coreUpdateModelPublicSettings: { invalidatesTags: ['Models', 'Model'] },
    coreUpdateModelBillingSettings: { invalidatesTags: ['Models', 'Model'] },
    coreSetFavorite: { invalidatesTags: ['Models', 'Model'] },
    coreListAccessTokens: { providesTags: ['Keys'] },
    coreCreateAccessToken: { invalidatesTags: ['Keys'] },
    coreUpdateAccessToken: { invalidatesTags: ['Keys'] },
    coreDeleteAccessToken: { invalidatesTags: ['Keys'] },
    coreGetInstances: { providesTags: ['Instances'] },
    coreGetExternalConnections: { providesTags: ['Instances'] },
    coreGetModelStatus: { providesTags: ['Instances'] },
    coreCreateExternalConnection: { invalidatesTags: ['Instances'] },
    coreDeleteExternalConnection: { invalidatesTags: ['Instances'] },
    coreSetInstancesCount: { invalidatesTags: ['Instances'] },
    coreStopInstance: { invalidatesTags: ['Instances'] },
    coreGetPagedImages: { providesTags: ['Images'] },
    coreGetPagedImagesV2: { providesTags: ['Images'] },
    coreGetImage: { providesTags: ['Images'] },
    coreCreateImage: { invalidatesTags: ['Images'] },
    coreUpdateImage: { invalidatesTags: ['Images'] },
    coreDeleteImage: { invalidatesTags: ['Images'] },
    coreGetModelPublicSettings: { providesTags: ['Model'] },
    coreStartInstance: { invalidatesTags: ['Instances'] },
    coreTerminateInstance: { invalidatesTags: ['Instances'] },
    coreGetSimpleDoc: { providesTags: ['Documents'] },
    coreUpdateSimpleDoc: { invalidatesTags: ['Documents'] },
    coreGetServiceDescriptor: { providesTags: ['Documents'] },
    coreUpdateServiceDescriptor: { invalidatesTags: ['Documents'] },
    coreListExamples: { providesTags: ['Examples'] },
    coreCreateExample: { invalidatesTags: ['Examples'] },
    coreUpdateExample: { invalidatesTags: ['Examples'] },
    coreDeleteExample: { invalidatesTags: ['Examples'] },
    coreListPredictConfigs: { providesTags: ['Configs'] },
    coreCreatePredictConfig: { invalidatesTags: ['Configs'] },
    coreUpdatePredictConfig: { invalidatesTags: ['Configs'] },
    coreDeletePredictConfig: { invalidatesTags: ['Configs'] },
    coreListSecrets: { providesTags: ['Secrets'] },
    coreCreateSecret: { invalidatesTags: ['Secrets'] },
    coreReplaceSecret: { invalidatesTags: ['Secrets'] },
    coreDeleteSecret: { invalidatesTags: ['Secrets'] },
    coreGetGroups: { providesTags: ['Groups'] },
    coreCreateGroup: { invalidatesTags: ['Groups'] },
    coreUpdateGroup: { invalidatesTags: ['Groups', 'Models', 'Model'] },
    coreDeleteGroup: { invalidatesTags: ['Groups', 'Models', 'Model'] },
    coreSetModelGroup: { invalidatesTags: ['Models', 'Model'] },
    coreRemoveModelGroup: { invalidatesTags: ['Models', 'Model'] },
    coreGetOwnedResourceGroups: { providesTags: ['Servers'] },
    coreGetDeployableResourceGroups: { providesTags: ['Servers'] },
    coreGetResourceGroup: { providesTags: ['Servers'] },
    coreCreateResourceGroup: { invalidatesTags: ['Servers'] },
    coreUpdateResourceGroup: { invalidatesTags: ['Servers'] },
    coreDeleteResourceGroup: { invalidatesTags: ['Servers'] },
    coreGetServersStatus: { providesTags: ['Servers'] },
    coreCreateServer: { invalidatesTags: ['Servers'] },
    coreDeleteServer: { invalidatesTags: ['Servers'] },
    coreGetTeamRequests: { providesTags: ['Requests'] },
    coreGetNotifications: { providesTags: ['Notifications'] },
    coreMarkNotificationsRead: { invalidatesTags: ['Notifications'] },
    coreBroadcastNotification: { invalidatesTags: ['Notifications'] },
    coreShortTasksView: { providesTags: ['Tasks'] },
    coreListSelectedAccountJobs: { providesTags: ['Tasks'] },
    coreMarkTasksRead: { invalidatesTags: ['Tasks'] },
    coreStopJob: { invalidatesTags: ['Tasks'] },
  },
});
gatewayApi.enhanceEndpoints({
  endpoints: {
    gatewayGetStorage: { providesTags: ['Storage'] },
    gatewaySetStorageHours: { invalidatesTags: ['Storage'] },
    gatewayDeletePredictions: { invalidatesTags: ['Storage'] },
  },
});
accountsApi.enhanceEndpoints({
  endpoints: {
    accountsCheckAuthorized: { providesTags: ['Session'] },
    accountsListAllowedAccounts: { providesTags: ['Session'] },
    accountsGetInvitationsByUser: { providesTags: ['Session'] },
    accountsAcceptInvitation: { invalidatesTags: ['Session'] },
    accountsDeclineInvitation: { invalidatesTags: ['Session'] },
    accountsListSessions: { providesTags: ['Session'] },
    accountsEndSession: { invalidatesTags: ['Session'] },
    accountsEndOtherSessions: { invalidatesTags: ['Session'] },
    accountsGetAccount: { providesTags: ['Account'] },
    accountsUpdateAccount: { invalidatesTags: ['Account'] },
    accountsListMembers: { providesTags: ['Members'] },
    accountsSetMemberRoles: { invalidatesTags: ['Members'] },
    accountsEndMembership: { invalidatesTags: ['Members'] },
    accountsListSentInvitations: { providesTags: ['Members'] },
    accountsInviteToAccount: { invalidatesTags: ['Members'] },
    accountsWithdrawInvitation: { invalidatesTags: ['Members'] },
    accountsGetPublicOptions: { providesTags: ['Domains'] },
    accountsListDomains: { providesTags: ['Domains'] },
    accountsReplaceDomains: { invalidatesTags: ['Domains'] },
    accountsBlockAccount: { invalidatesTags: ['Account'] },
    accountsUnblockAccount: { invalidatesTags: ['Account'] },
  },
});
billingApi.enhanceEndpoints({
  endpoints: {
    billingGetShortBalance: { providesTags: ['Balance'] },
    billingGetBalance: { providesTags: ['Balance'] },
    billingGetBlocked: { providesTags: ['Balance'] },
    billingGetWelcomeOffer: { providesTags: ['Balance'] },
    billingGetRefillHistory: { providesTags: ['Balance'] },
    billingRefillByCard: { invalidatesTags: ['Balance'] },
    billingRefillFromIncome: { invalidatesTags: ['Balance'] },
    billingRefillAccount: { invalidatesTags: ['Balance'] },
    billingTakeWelcomeBonus: { invalidatesTags: ['Balance'] },
  },
});

export { accountsApi } from './generated/accounts.gen';
export { billingApi } from './generated/billing.gen';
export { coreApi } from './generated/core.gen';
export { gatewayApi } from './generated/gateway.gen';
export { api } from './base';
export { askedApi, versionApi } from './byHand';
export { asProblem, isProblem, type Problem, splitByField, type Violation } from './problem';
