/** The application's only API client: generated endpoints with checked parameters, and the tags that they invalidate. */
import { accountsApi } from './generated/accounts.gen';
import { billingApi } from './generated/billing.gen';
import { coreApi } from './generated/core.gen';
import { gatewayApi } from './generated/gateway.gen';
import { requiredParameters } from './generated/required.gen';
import { api } from './base';
import { withRequired } from './checked';

withRequired(api, requiredParameters, [accountsApi, billingApi, coreApi, gatewayApi]);

coreApi.enhanceEndpoints({
  endpoints: {
    coreGetModelCounts: { providesTags: ['Models'] },
    coreGetModelInfo: { providesTags: ['Model'] },
    coreGetModelBillingSettings: { providesTags: ['Model'] },
    coreCreateModel: { invalidatesTags: ['Models'] },
    coreCreateClonedModel: { invalidatesTags: ['Models', 'Tasks'] },
    coreRollingUpdate: { invalidatesTags: ['Instances', 'Tasks'] },
    coreUpdateModel: { invalidatesTags: ['Models', 'Model', 'Secrets'] },
    coreGetModelVersions: { providesTags: ['Model'] },
    coreGetModelVersion: { providesTags: ['Model'] },
    coreRestoreModelVersion: { invalidatesTags: ['Models', 'Model', 'Secrets'] },
    coreDeleteModel: { invalidatesTags: ['Models', 'Secrets'] },
    coreUpdateModelArchiveSettings: { invalidatesTags: ['Model'] },
    coreUpdateModelHttpSettings: { invalidatesTags: ['Model'] },
    coreUpdateModelPublicSettings: { invalidatesTags: ['Models', 'Model'] },
    coreUpdateModelBillingSettings: { invalidatesTags: ['Models', 'Model'] },
    coreListAccessTokens: { providesTags: ['Keys'] },
    coreCreateAccessToken: { invalidatesTags: ['Keys'] },
    coreUpdateAccessToken: { invalidatesTags: ['Keys'] },
    coreDeleteAccessToken: { invalidatesTags: ['Keys'] },
    coreEnsureAccountWithId: { providesTags: ['Account'] },
    coreGetAccount: { providesTags: ['Limits'] },
    coreUpdateAccountData: { invalidatesTags: ['Account'] },
    coreGetLimitUse: { providesTags: ['Limits', 'Instances'] },
    corePreviewPlacement: { providesTags: ['Limits', 'Instances', 'Servers'] },
    coreUpdateLimits: { invalidatesTags: ['Limits'] },
    coreGetInstances: { providesTags: ['Instances'] },
    // Each answer is added to what was read before, and kept there alone.
    coreGetInstanceLogTail: { keepUnusedDataFor: 0 },
    coreGetExternalConnections: { providesTags: ['Instances'] },
    coreGetModelStatus: { providesTags: ['Instances'] },
    coreCreateExternalConnection: { invalidatesTags: ['Instances'] },
    coreDeleteExternalConnection: { invalidatesTags: ['Instances'] },
    coreSetInstancesCount: { invalidatesTags: ['Instances', 'Model'] },
    coreStopInstance: { invalidatesTags: ['Instances'] },
    coreGetPagedImages: { providesTags: ['Images'] },
    coreGetPagedImagesV2: { providesTags: ['Images'] },
    coreGetImage: { providesTags: ['Images'] },
    coreGetImageLogs: { providesTags: ['Images'] },
    coreCreateImage: { invalidatesTags: ['Images'] },
    // Services show the address of the image that they run.
    coreUpdateImage: { invalidatesTags: ['Images', 'Model'] },
    coreRestartImageModels: { invalidatesTags: ['Images', 'Instances', 'Tasks'] },
    coreDeleteImage: { invalidatesTags: ['Images'] },
    coreGetPagedDataImages: { providesTags: ['DataImages'] },
    coreGetDataImage: { providesTags: ['DataImages'] },
    coreGetDataImageLogs: { providesTags: ['DataImages'] },
    coreCreateDataImage: { invalidatesTags: ['DataImages'] },
    // Services show the name and the folder of the data images that they mount.
    coreUpdateDataImage: { invalidatesTags: ['DataImages', 'Model'] },
    coreDeleteDataImage: { invalidatesTags: ['DataImages'] },
    coreListDatasets: { providesTags: ['Datasets'] },
    coreGetDatasetInfo: { providesTags: ['Datasets'] },
    coreGetDatasetStorage: { providesTags: ['Datasets', 'Bucket'] },
    coreGetDatasetRows: { providesTags: ['Datasets'] },
    coreGetDatasetLogs: { providesTags: ['Datasets'] },
    coreCreateEmptyDataset: { invalidatesTags: ['Datasets'] },
    coreUpdateDataset: { invalidatesTags: ['Datasets'] },
    coreChangeDatasetRows: { invalidatesTags: ['Datasets'] },
    coreDeleteDataset: { invalidatesTags: ['Datasets'] },
    // A secret: kept only while it is shown.
    coreGetS3Credentials: { providesTags: ['BucketKeys'], keepUnusedDataFor: 0 },
    coreRotateS3Credentials: { invalidatesTags: ['BucketKeys'] },
    coreGetS3Storage: { providesTags: ['Bucket', 'Datasets'] },
    coreGetModelPublicSettings: { providesTags: ['Model'] },
    coreStartInstance: { invalidatesTags: ['Instances', 'Model'] },
    coreStartSingleInstance: { invalidatesTags: ['Instances', 'Model'] },
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
    coreListRegistryCredentials: { providesTags: ['Registries'] },
    coreCreateRegistryCredential: { invalidatesTags: ['Registries'] },
    coreReplaceRegistryCredential: { invalidatesTags: ['Registries'] },
    coreDeleteRegistryCredential: { invalidatesTags: ['Registries'] },
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
    coreGetTeamRequest: { providesTags: ['Requests'] },
    coreGetTeamRequests: { providesTags: ['Requests'] },
    coreUpdateTeamRequest: { invalidatesTags: ['Requests'] },
    coreGetNotifications: { providesTags: ['Notifications'] },
    coreMarkNotificationsRead: { invalidatesTags: ['Notifications'] },
    coreUpdateNotificationSettings: { invalidatesTags: ['Notifications'] },
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
    // Its opening and closing balance, which a refill changes.
    billingGetStatement: { providesTags: ['Balance'] },
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
