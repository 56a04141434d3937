import { accountsFirst as api } from "@/api/first/generated/accounts.gen";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        coreGetPagedModels: build.query<CoreGetPagedModelsApiResponse, CoreGetPagedModelsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model`,
                params: {
                    onlyMy: queryArg.onlyMy,
                    onlyOthers: queryArg.onlyOthers,
                    withFavorites: queryArg.withFavorites,
                    onlyPublic: queryArg.onlyPublic,
                    onlyPrivate: queryArg.onlyPrivate,
                    onlyRestricted: queryArg.onlyRestricted,
                    onlyFitted: queryArg.onlyFitted,
                    onlyForVisitors: queryArg.onlyForVisitors,
                    accountField: queryArg.accountField,
                    modelField: queryArg.modelField,
                    displayAuthor: queryArg.displayAuthor,
                    groupId: queryArg.groupId,
                    taskType: queryArg.taskType,
                    language: queryArg.language,
                    imageId: queryArg.imageId,
                    dataImageId: queryArg.dataImageId,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetPublicModels: build.query<CoreGetPublicModelsApiResponse, CoreGetPublicModelsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/models`,
                params: {
                    onlyMy: queryArg.onlyMy,
                    onlyOthers: queryArg.onlyOthers,
                    withFavorites: queryArg.withFavorites,
                    onlyPublic: queryArg.onlyPublic,
                    onlyPrivate: queryArg.onlyPrivate,
                    onlyRestricted: queryArg.onlyRestricted,
                    onlyFitted: queryArg.onlyFitted,
                    onlyForVisitors: queryArg.onlyForVisitors,
                    accountField: queryArg.accountField,
                    modelField: queryArg.modelField,
                    displayAuthor: queryArg.displayAuthor,
                    groupId: queryArg.groupId,
                    taskType: queryArg.taskType,
                    language: queryArg.language,
                    imageId: queryArg.imageId,
                    dataImageId: queryArg.dataImageId,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetFeaturedModels: build.query<CoreGetFeaturedModelsApiResponse, CoreGetFeaturedModelsApiArg>({
            query: () => ({ url: `/api/mlpcore/models/featured` }),
        }),
        coreGetCatalogCategories: build.query<CoreGetCatalogCategoriesApiResponse, CoreGetCatalogCategoriesApiArg>({
            query: () => ({ url: `/api/mlpcore/catalog-category` }),
        }),
        coreSetFavorite: build.mutation<CoreSetFavoriteApiResponse, CoreSetFavoriteApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/favorite`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        coreGetTaskTypes: build.query<CoreGetTaskTypesApiResponse, CoreGetTaskTypesApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/task-types` }),
        }),
        coreGetFrontendSettings: build.query<CoreGetFrontendSettingsApiResponse, CoreGetFrontendSettingsApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/frontend-settings` }),
        }),
        coreGetVersion: build.query<CoreGetVersionApiResponse, CoreGetVersionApiArg>({
            query: () => ({ url: `/api/mlpcore/version` }),
        }),
        coreSaveClicks: build.mutation<CoreSaveClicksApiResponse, CoreSaveClicksApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/clicks`,
                method: "POST",
                body: queryArg.body,
                cookies: {
                    visitorId: queryArg.visitorId,
                },
            }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as coreFirst };
export type CoreGetPagedModelsApiResponse = /** status 200 Successful Response */ PagedModelInfoData;
export type CoreGetPagedModelsApiArg = {
    /** account id, or short name */
    account: string;
    onlyMy?: boolean;
    /** models of other accounts */
    onlyOthers?: boolean;
    withFavorites?: boolean;
    onlyPublic?: boolean;
    onlyPrivate?: boolean;
    /** private models that chosen accounts may call */
    onlyRestricted?: boolean;
    /** models trained from another model */
    onlyFitted?: boolean;
    /** models that visitors may try without signing in */
    onlyForVisitors?: boolean;
    accountField?: string | null;
    modelField?: string | null;
    displayAuthor?: string | null;
    /** 0: models without a group */
    groupId?: number | null;
    taskType?: string | null;
    language?: string | null;
    imageId?: number | null;
    dataImageId?: number | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetPublicModelsApiResponse = /** status 200 Successful Response */ PagedModelInfoData;
export type CoreGetPublicModelsApiArg = {
    onlyMy?: boolean;
    /** models of other accounts */
    onlyOthers?: boolean;
    withFavorites?: boolean;
    onlyPublic?: boolean;
    onlyPrivate?: boolean;
    /** private models that chosen accounts may call */
    onlyRestricted?: boolean;
    /** models trained from another model */
    onlyFitted?: boolean;
    /** models that visitors may try without signing in */
    onlyForVisitors?: boolean;
    accountField?: string | null;
    modelField?: string | null;
    displayAuthor?: string | null;
    /** 0: models without a group */
    groupId?: number | null;
    taskType?: string | null;
    language?: string | null;
    imageId?: number | null;
    dataImageId?: number | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetFeaturedModelsApiResponse = /** status 200 Successful Response */ ModelInfoData[];
export type CoreGetFeaturedModelsApiArg = void;
export type CoreGetCatalogCategoriesApiResponse = /** status 200 Successful Response */ CatalogCategoryData;
export type CoreGetCatalogCategoriesApiArg = void;
export type CoreSetFavoriteApiResponse = unknown;
export type CoreSetFavoriteApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
    body: boolean;
};
export type CoreGetTaskTypesApiResponse = /** status 200 Successful Response */ TaskTypeData[];
export type CoreGetTaskTypesApiArg = void;
export type CoreGetFrontendSettingsApiResponse = /** status 200 Successful Response */ FrontendSettings;
export type CoreGetFrontendSettingsApiArg = void;
export type CoreGetVersionApiResponse = /** status 200 Successful Response */ VersionData;
export type CoreGetVersionApiArg = void;
export type CoreSaveClicksApiResponse = unknown;
export type CoreSaveClicksApiArg = {
    visitorId?: string | null;
    body: ClickHistoryData[];
};
export type Pagination = {
    totalElements: number;
    totalPages: number;
    pageNumber: number;
    pageSize: number;
};
export type ModelInfoPk = {
    accountId: number;
    modelId: number;
};
export type ImageInfoPk = {
    accountId: number;
    imageId: number;
};
export type ImageInfoData = {
    id: ImageInfoPk;
    name: string;
    imageAccountName: string | null;
    image: string;
    accessMode: "private" | "public" | "restricted";
};
export type DatasetPk = {
    accountId: number;
    datasetId: number;
};
export type DatasetWarningData = {
    code: string;
    args: {
        [key: string]: string;
    };
};
export type DatasetInfoData = {
    id: DatasetPk;
    name: string;
    datasetAccountName: string | null;
    description: string | null;
    dataType: string;
    accessMode: "private" | "public" | "restricted";
    warning: string | null;
    warnings: DatasetWarningData[];
    size: number;
    sha256: string | null;
    rows: number | null;
    columns: string[] | null;
    version: number;
    allowedTypes: string[];
    contentAllowed: boolean;
    createdAt: number;
    updatedAt: number;
};
export type HostingType = "AUTOMATIC" | "INTERNAL" | "EXTERNAL" | "HOSTING_SERVER";
export type PersistentVolumeData = {
    pvId?: number | null;
    mountPath: string;
    sizeInGb: number;
    storageClass: string;
};
export type DataImageMountData = {
    dmId?: number | null;
    dataImageAccountId: number;
    dataImageId: number;
    dataImage?: string | null;
    dataImageName?: string | null;
    sourcePath?: string | null;
    targetPath: string;
};
export type ModelTimeoutsData = {
    podStartTimeoutSec?: number;
    predictTimeoutSec?: number;
    fitTimeoutSec?: number | null;
};
export type ModelLimitsData = {
    cpuRequest?: string;
    memoryLimit?: string;
    ephemeralDiskLimit?: string;
    gpuRequested?: boolean;
    gpuMemoryLimitMb?: number | null;
    gpuUsageLimit?: number | null;
    gpuCount?: number | null;
    gpuModels?: string[];
    serverLabels?: object;
};
export type ModelRetriesData = {
    maxRetries?: number;
    timeoutsMs?: number[];
    maxRetriesPerInstance?: number | null;
};
export type ModelBatchesData = {
    batchSize?: number;
    timeWaitMs?: number;
    maxLengthToSkip?: number | null;
};
export type ModelCachingData = {
    enabled?: boolean;
    mongoUri?: string;
    collectionName?: string;
    recordsLimit?: number;
};
export type ModelPriorityQueueData = {
    enabled?: boolean;
    concurrencyLevel?: number;
};
export type TimePoint = {
    hour: number;
    minute: number;
    second?: number;
    nano?: number;
};
export type ScheduledInstanceCount = {
    startTime: TimePoint;
    endTime: TimePoint;
    minInstances: number;
    maxInstances: number;
};
export type ModelAutoScalingConfiguration = {
    minInstanceCount?: number;
    maxInstanceCount?: number | null;
    cooldownDurationMinutes?: number | null;
    scaleUpRequestsPerMinuteThreshold?: number | null;
    scaleDownRequestsPerMinuteThreshold?: number | null;
    scaleUpLatencyThresholdMs?: number | null;
    scaleDownLatencyThresholdMs?: number | null;
    scaleUpCpuThresholdMilliCores?: number | null;
    scaleDownCpuThresholdMilliCores?: number | null;
    scaleUpActiveRequestsThreshold?: number | null;
    scaleDownActiveRequestsThreshold?: number | null;
    scaleUpQueueTimeThresholdMs?: number | null;
    scaleDownQueueTimeThresholdMs?: number | null;
    active?: boolean;
    enabled?: boolean | null;
    scheduledInstanceCountSettings?: ScheduledInstanceCount[];
    idleTimeMinutes?: number | null;
    timeZone?: string | null;
};
export type ModelPublicSettingsData = {
    isPublic?: boolean | null;
    availableInJaicp?: boolean | null;
    featured?: boolean | null;
    featuredListOrder?: number | null;
    hidden?: boolean | null;
    publicTestingAllowed?: boolean | null;
    visitorCallsPerDay?: number | null;
    showPersonalDataDisclaimer?: boolean | null;
    allowedAccounts?: number[] | null;
};
export type BillingUnit = "calls" | "direct" | "custom";
export type Currency = "RUBLE" | "TOKEN";
export type ModelBillingSettingsData = {
    isBillingEnabled: boolean;
    billingUnit?: BillingUnit | null;
    billingUnitPriceInNanoToken?: number | null;
    billingUnitPriceInCurrency?: number | string | null;
    freeUnitQuota?: number | null;
    allowDeferredBilling?: boolean | null;
    currency?: Currency | null;
    maxPriceInCurrency?: number | string | null;
};
export type ModelHttpSettingsData = {
    isHttpEnabled?: boolean;
    httpPort?: number | null;
    mainPageEndpoint?: string | null;
    httpInterfaceOnly?: boolean;
};
export type ModelArchiveSettingsData = {
    enabled?: boolean;
    numberOfArchivedRequests?: number;
    encryptionEnabled?: boolean;
    rsaPemPublicKey?: string | null;
};
export type StartPhase = "WAITING_FOR_SERVER" | "SCHEDULING" | "PREPARING" | "CONNECTING";
export type StartData = {
    phase: StartPhase;
    since: string;
    usualSeconds: number | null;
};
export type CallStatisticsData = {
    days: number;
    medianLatencyMs: number | null;
    successRate: number;
    calls: number;
    failedCalls: number;
};
export type InstanceCountsData = {
    connected: number;
    expected: number;
};
export type ModelInfoData = {
    id: ModelInfoPk;
    modelAccountName: string | null;
    modelAccountDisplayName: string | null;
    modelName: string;
    imageAccountId: number;
    imageId: number | null;
    image: ImageInfoData | null;
    modelGroupId: number | null;
    modelGroupName: string | null;
    trainingDatasetAccountId: number | null;
    trainingDatasetId: number | null;
    trainingDataset: DatasetInfoData | null;
    trainingDatasetType: string | null;
    trainingFitConfigId: number | null;
    trainingFitConfig: null;
    fitTemplateModelId: number | null;
    composite: boolean;
    prototype: boolean;
    rejectRequestsIfInactive: boolean;
    taskType: string;
    trainingModelAccountId: number | null;
    trainingModelId: number | null;
    trainingModelName: string | null;
    trainingType: string | null;
    config: string | null;
    env: string | null;
    secretEnv: {
        [key: string]: string;
    };
    additionalFlags: string[];
    fittable: boolean;
    hostingType: HostingType;
    persistentVolumes: PersistentVolumeData[];
    dataImageMounts: DataImageMountData[];
    resourceGroup: string | null;
    timeouts: ModelTimeoutsData;
    resourceLimits: ModelLimitsData;
    retriesConfig: ModelRetriesData;
    batchesConfig: ModelBatchesData;
    caching: ModelCachingData;
    priorityQueue: ModelPriorityQueueData;
    autoScalingConfiguration: ModelAutoScalingConfiguration;
    shortDescription: string | null;
    languages: string[];
    minInstancesCount: number;
    startTimeSec: number | null;
    publicSettings: ModelPublicSettingsData;
    billingSettings: ModelBillingSettingsData;
    httpSettings: ModelHttpSettingsData;
    archiveSettings: ModelArchiveSettingsData;
    restrictedImageAccess: boolean;
    lastActivity: number | null;
    favorite: boolean;
    state: "RUNNING" | "STARTING" | "INACTIVE" | "SLEEPING" | "REMOVING";
    waitsForServer: boolean;
    start: StartData | null;
    measuredStartTimeSec: number | null;
    callStatistics: CallStatisticsData | null;
    instanceCounts: InstanceCountsData | null;
    displayName: string | null;
    displayAuthor: string | null;
    modelLink: string | null;
    modelAuthorCompany: string | null;
    supportedTemplates: number[];
    deploymentPatch: string | null;
    waitStart: boolean;
    modelType: string;
    protocols: string[];
    aliases: string[];
};
export type PagedModelInfoData = {
    paging: Pagination;
    records: ModelInfoData[];
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
export type TaskTypeToModelsCount = {
    taskTypeName: string;
    modelsCount: number;
};
export type CatalogCategoryData = {
    categories: TaskTypeToModelsCount[];
};
export type TaskTypeData = {
    name: string;
    displayName: string;
    icon: string;
    color: string;
};
export type LicenseLimits = {
    allowedServices: number | null;
    allowedToDevelop: boolean | null;
    allowedToFit: boolean | null;
    allowedVllmModels: number | null;
    cpuTotalCount: number | null;
    vramTotalGb: number | null;
};
export type LicenseData = {
    grafanaLicenseDashboardUrl: string | null;
    hardLimitsAreExceeded: boolean;
    softLimitsAreExceeded: boolean;
    licenseStarts: string | null;
    licenseEnds: string | null;
    licenseExpiredOrInvalid: boolean;
    licenseExpiresSoon: boolean;
    daysLeftBeforeHardLimits: number | null;
    limits: LicenseLimits | null;
};
export type FrontendSettings = {
    isSystemAccount: boolean;
    isBillingEnabled: boolean;
    isArchiveEnabled: boolean;
    isExtendedLanding: boolean;
    currencyType: Currency;
    defaultMaxPrice: number;
    englishOnly: boolean;
    refillByManager: boolean;
    managerMail: string | null;
    supportChatUrl: string | null;
    saveClicksEnabled: boolean;
    envName: string;
    license: LicenseData | null;
};
export type VersionData = {
    buildNumber: string;
    buildDate: string;
    buildBranch: string;
};
export type ClickHistoryData = {
    creationTime?: number | null;
    accountId?: number | null;
    entityId?: number | null;
    entityType?: string | null;
    pageUrl: string;
    description?: string | null;
    eventType: string;
    elementId?: number | null;
};
export const {
    useCoreGetPagedModelsQuery,
    useCoreGetPublicModelsQuery,
    useCoreGetFeaturedModelsQuery,
    useCoreGetCatalogCategoriesQuery,
    useCoreSetFavoriteMutation,
    useCoreGetTaskTypesQuery,
    useCoreGetFrontendSettingsQuery,
    useCoreGetVersionQuery,
    useCoreSaveClicksMutation,
} = injectedRtkApi;
