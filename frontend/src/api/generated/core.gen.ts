import { firstApi as api } from "@/api/first";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        coreEnsureAccount: build.query<CoreEnsureAccountApiResponse, CoreEnsureAccountApiArg>({
            query: () => ({ url: `/api/mlpcore/account` }),
        }),
        coreUpdateAccountData: build.mutation<CoreUpdateAccountDataApiResponse, CoreUpdateAccountDataApiArg>({
            query: (queryArg) => ({ url: `/api/mlpcore/account`, method: "POST", body: queryArg.accountUpdateData }),
        }),
        coreEnsureAccountWithId: build.query<CoreEnsureAccountWithIdApiResponse, CoreEnsureAccountWithIdApiArg>({
            query: (queryArg) => ({ url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}` }),
        }),
        coreGetAccountPublicName: build.query<CoreGetAccountPublicNameApiResponse, CoreGetAccountPublicNameApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/publicName`,
            }),
        }),
        coreUpdateAccountActivity: build.mutation<
            CoreUpdateAccountActivityApiResponse,
            CoreUpdateAccountActivityApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/activity`,
                method: "POST",
            }),
        }),
        coreGetAccounts: build.query<CoreGetAccountsApiResponse, CoreGetAccountsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/accounts`,
                params: {
                    name: queryArg.name,
                    limit: queryArg.limit,
                    skip: queryArg.skip,
                },
            }),
        }),
        coreGetAccount: build.query<CoreGetAccountApiResponse, CoreGetAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}`,
            }),
        }),
        coreGetAccountFeatures: build.query<CoreGetAccountFeaturesApiResponse, CoreGetAccountFeaturesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/features`,
            }),
        }),
        coreUpdateFeatures: build.mutation<CoreUpdateFeaturesApiResponse, CoreUpdateFeaturesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/features`,
                method: "POST",
                body: queryArg.accountFeatureUpdate,
            }),
        }),
        coreUpdateLimits: build.mutation<CoreUpdateLimitsApiResponse, CoreUpdateLimitsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/limits`,
                method: "POST",
                body: queryArg.accountLimitsUpdate,
            }),
        }),
        coreGetAccountChanges: build.query<CoreGetAccountChangesApiResponse, CoreGetAccountChangesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/changes`,
                params: {
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreUpdateWhiteList: build.mutation<CoreUpdateWhiteListApiResponse, CoreUpdateWhiteListApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/whiteList`,
                method: "POST",
                body: queryArg.body,
                params: {
                    reason: queryArg.reason,
                },
            }),
        }),
        coreGetAccessByIp: build.query<CoreGetAccessByIpApiResponse, CoreGetAccessByIpApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/access-by-ip`,
                params: {
                    ipAddress: queryArg.ipAddress,
                },
            }),
        }),
        coreListAccessTokens: build.query<CoreListAccessTokensApiResponse, CoreListAccessTokensApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/token`,
            }),
        }),
        coreCreateAccessToken: build.mutation<CoreCreateAccessTokenApiResponse, CoreCreateAccessTokenApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/token`,
                method: "POST",
                body: queryArg.body,
                params: {
                    name: queryArg.name,
                },
            }),
        }),
        coreCheckAccessToken: build.query<CoreCheckAccessTokenApiResponse, CoreCheckAccessTokenApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/token/${encodeURIComponent(String(queryArg.token))}`,
            }),
        }),
        coreUpdateAccessToken: build.mutation<CoreUpdateAccessTokenApiResponse, CoreUpdateAccessTokenApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/token/${encodeURIComponent(String(queryArg.token))}`,
                method: "PUT",
                body: queryArg.accessTokenCreateUpdateData,
            }),
        }),
        coreDeleteAccessToken: build.mutation<CoreDeleteAccessTokenApiResponse, CoreDeleteAccessTokenApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/token/${encodeURIComponent(String(queryArg.token))}`,
                method: "DELETE",
            }),
        }),
        coreGetCallerInfo: build.query<CoreGetCallerInfoApiResponse, CoreGetCallerInfoApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/caller/info`,
                params: {
                    token: queryArg.token,
                },
            }),
        }),
        coreAuthorizeApplication: build.query<CoreAuthorizeApplicationApiResponse, CoreAuthorizeApplicationApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/application/${encodeURIComponent(String(queryArg.application))}/auth`,
                cookies: {
                    MLP_APPLICATION: queryArg.mlpApplication,
                },
            }),
        }),
        coreCheckApplicationIsAlive: build.query<
            CoreCheckApplicationIsAliveApiResponse,
            CoreCheckApplicationIsAliveApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/application/${encodeURIComponent(String(queryArg.application))}/health`,
            }),
        }),
        coreEnsureApplicationToken: build.query<
            CoreEnsureApplicationTokenApiResponse,
            CoreEnsureApplicationTokenApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/application/${encodeURIComponent(String(queryArg.application))}/token`,
            }),
        }),
        coreSetApplicationCookie: build.query<CoreSetApplicationCookieApiResponse, CoreSetApplicationCookieApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/application/${encodeURIComponent(String(queryArg.application))}/set-cookie`,
            }),
        }),
        coreCreateImage: build.mutation<CoreCreateImageApiResponse, CoreCreateImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image`,
                method: "POST",
                body: queryArg.imageData,
            }),
        }),
        coreGetPagedImages: build.query<CoreGetPagedImagesApiResponse, CoreGetPagedImagesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image`,
                params: {
                    name: queryArg.name,
                    onlyMy: queryArg.onlyMy,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetPagedImagesV2: build.query<CoreGetPagedImagesV2ApiResponse, CoreGetPagedImagesV2ApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image-v2`,
                params: {
                    name: queryArg.name,
                    belonging: queryArg.belonging,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetImage: build.query<CoreGetImageApiResponse, CoreGetImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image/${encodeURIComponent(String(queryArg.imageId))}`,
            }),
        }),
        coreUpdateImage: build.mutation<CoreUpdateImageApiResponse, CoreUpdateImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image/${encodeURIComponent(String(queryArg.imageId))}`,
                method: "POST",
                body: queryArg.imageData,
            }),
        }),
        coreDeleteImage: build.mutation<CoreDeleteImageApiResponse, CoreDeleteImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image/${encodeURIComponent(String(queryArg.imageId))}`,
                method: "DELETE",
            }),
        }),
        coreGetImageLogs: build.query<CoreGetImageLogsApiResponse, CoreGetImageLogsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image/${encodeURIComponent(String(queryArg.imageId))}/logs`,
            }),
        }),
        coreRestartImageModels: build.mutation<CoreRestartImageModelsApiResponse, CoreRestartImageModelsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/image/${encodeURIComponent(String(queryArg.imageId))}/models-restart`,
                method: "POST",
            }),
        }),
        coreCreateDataImage: build.mutation<CoreCreateDataImageApiResponse, CoreCreateDataImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/data-image`,
                method: "POST",
                body: queryArg.dataImageData,
            }),
        }),
        coreGetPagedDataImages: build.query<CoreGetPagedDataImagesApiResponse, CoreGetPagedDataImagesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/data-image`,
                params: {
                    name: queryArg.name,
                    onlyMy: queryArg.onlyMy,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetDataImage: build.query<CoreGetDataImageApiResponse, CoreGetDataImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/data-image/${encodeURIComponent(String(queryArg.imageId))}`,
            }),
        }),
        coreUpdateDataImage: build.mutation<CoreUpdateDataImageApiResponse, CoreUpdateDataImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/data-image/${encodeURIComponent(String(queryArg.imageId))}`,
                method: "POST",
                body: queryArg.dataImageData,
            }),
        }),
        coreDeleteDataImage: build.mutation<CoreDeleteDataImageApiResponse, CoreDeleteDataImageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/data-image/${encodeURIComponent(String(queryArg.imageId))}`,
                method: "DELETE",
            }),
        }),
        coreGetDataImageLogs: build.query<CoreGetDataImageLogsApiResponse, CoreGetDataImageLogsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/data-image/${encodeURIComponent(String(queryArg.imageId))}/logs`,
            }),
        }),
        coreGetS3Credentials: build.query<CoreGetS3CredentialsApiResponse, CoreGetS3CredentialsApiArg>({
            query: (queryArg) => ({ url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3` }),
        }),
        coreRotateS3Credentials: build.mutation<CoreRotateS3CredentialsApiResponse, CoreRotateS3CredentialsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3/rotate`,
                method: "POST",
            }),
        }),
        coreGetS3Storage: build.query<CoreGetS3StorageApiResponse, CoreGetS3StorageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3/storage`,
            }),
        }),
        coreListS3Objects: build.query<CoreListS3ObjectsApiResponse, CoreListS3ObjectsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3/object`,
                params: {
                    prefix: queryArg.prefix,
                    after: queryArg.after,
                    limit: queryArg.limit,
                },
            }),
        }),
        corePutS3Object: build.mutation<CorePutS3ObjectApiResponse, CorePutS3ObjectApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3/content`,
                method: "PUT",
                body: queryArg.body,
                params: {
                    key: queryArg.key,
                },
            }),
        }),
        coreGetS3Object: build.query<CoreGetS3ObjectApiResponse, CoreGetS3ObjectApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3/content`,
                params: {
                    key: queryArg.key,
                },
            }),
        }),
        coreDeleteS3Objects: build.mutation<CoreDeleteS3ObjectsApiResponse, CoreDeleteS3ObjectsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/s3/delete`,
                method: "POST",
                body: queryArg.s3DeleteData,
            }),
        }),
        coreDeleteEmptyMinioUsers: build.mutation<
            CoreDeleteEmptyMinioUsersApiResponse,
            CoreDeleteEmptyMinioUsersApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/minio/delete-empty-users`,
                method: "POST",
                params: {
                    count: queryArg.count,
                    dryRun: queryArg.dryRun,
                },
            }),
        }),
        coreListDatasets: build.query<CoreListDatasetsApiResponse, CoreListDatasetsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset`,
            }),
        }),
        coreDeprecatedCreateDataset: build.mutation<
            CoreDeprecatedCreateDatasetApiResponse,
            CoreDeprecatedCreateDatasetApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset`,
                method: "POST",
                body: queryArg.deprecatedDatasetInfoWithContentData,
            }),
        }),
        coreGetDatasetStorage: build.query<CoreGetDatasetStorageApiResponse, CoreGetDatasetStorageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset-storage`,
            }),
        }),
        coreCreateEmptyDataset: build.mutation<CoreCreateEmptyDatasetApiResponse, CoreCreateEmptyDatasetApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/empty`,
                method: "POST",
                body: queryArg.createOrUpdateDatasetInfoData,
            }),
        }),
        coreGetDatasetInfo: build.query<CoreGetDatasetInfoApiResponse, CoreGetDatasetInfoApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}`,
            }),
        }),
        coreDeleteDataset: build.mutation<CoreDeleteDatasetApiResponse, CoreDeleteDatasetApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}`,
                method: "DELETE",
            }),
        }),
        coreDeprecatedUpdateDataset: build.mutation<
            CoreDeprecatedUpdateDatasetApiResponse,
            CoreDeprecatedUpdateDatasetApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}`,
                method: "POST",
                body: queryArg.deprecatedDatasetInfoWithContentData,
            }),
        }),
        coreUpdateDataset: build.mutation<CoreUpdateDatasetApiResponse, CoreUpdateDatasetApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}/raw`,
                method: "POST",
                body: queryArg.createOrUpdateDatasetInfoData,
            }),
        }),
        coreGetDatasetLogs: build.query<CoreGetDatasetLogsApiResponse, CoreGetDatasetLogsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}/logs`,
            }),
        }),
        coreCreateDataset: build.mutation<CoreCreateDatasetApiResponse, CoreCreateDatasetApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/raw`,
                method: "POST",
                body: queryArg.body,
                params: {
                    name: queryArg.name,
                    description: queryArg.description,
                    dataType: queryArg.dataType,
                    accessMode: queryArg.accessMode,
                    sha256: queryArg.sha256,
                },
            }),
        }),
        coreDownloadDatasetRawContent: build.query<
            CoreDownloadDatasetRawContentApiResponse,
            CoreDownloadDatasetRawContentApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}/content`,
                params: {
                    type: queryArg["type"],
                },
            }),
        }),
        coreUploadDatasetContent: build.mutation<CoreUploadDatasetContentApiResponse, CoreUploadDatasetContentApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}/content`,
                method: "POST",
                body: queryArg.body,
                params: {
                    sha256: queryArg.sha256,
                },
            }),
        }),
        coreGetDatasetRows: build.query<CoreGetDatasetRowsApiResponse, CoreGetDatasetRowsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}/rows`,
                params: {
                    first: queryArg.first,
                    size: queryArg.size,
                },
            }),
        }),
        coreChangeDatasetRows: build.mutation<CoreChangeDatasetRowsApiResponse, CoreChangeDatasetRowsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/dataset/${encodeURIComponent(String(queryArg.datasetId))}/rows`,
                method: "POST",
                body: queryArg.datasetRowsChangeData,
            }),
        }),
        coreGetAllowedDatasetsForFit: build.query<
            CoreGetAllowedDatasetsForFitApiResponse,
            CoreGetAllowedDatasetsForFitApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/dataset/allowed`,
            }),
        }),
        coreGetAllowedDataTypesForFit: build.query<
            CoreGetAllowedDataTypesForFitApiResponse,
            CoreGetAllowedDataTypesForFitApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/dataset/allowed-types`,
            }),
        }),
        coreCreateModel: build.mutation<CoreCreateModelApiResponse, CoreCreateModelApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model`,
                method: "POST",
                body: queryArg.modelCreateUpdateData,
            }),
        }),
        coreGetModelCounts: build.query<CoreGetModelCountsApiResponse, CoreGetModelCountsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model-counts`,
            }),
        }),
        coreGetModelList: build.mutation<CoreGetModelListApiResponse, CoreGetModelListApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model-list`,
                method: "POST",
                body: queryArg.modelListRequest,
            }),
        }),
        coreCheckModelNameAvailability: build.mutation<
            CoreCheckModelNameAvailabilityApiResponse,
            CoreCheckModelNameAvailabilityApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/model-name-availability`,
                method: "POST",
                params: {
                    modelName: queryArg.modelName,
                },
            }),
        }),
        coreGetRecentCalls: build.query<CoreGetRecentCallsApiResponse, CoreGetRecentCallsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/call-statistics`,
                params: {
                    modelId: queryArg.modelId,
                },
            }),
        }),
        coreGetCallSeries: build.query<CoreGetCallSeriesApiResponse, CoreGetCallSeriesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/call-statistics`,
                params: {
                    step: queryArg.step,
                },
            }),
        }),
        coreCreateClonedModel: build.mutation<CoreCreateClonedModelApiResponse, CoreCreateClonedModelApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/clone`,
                method: "POST",
                params: {
                    name: queryArg.name,
                    displayName: queryArg.displayName,
                    displayAuthor: queryArg.displayAuthor,
                    autoStart: queryArg.autoStart,
                    templateId: queryArg.templateId,
                },
            }),
        }),
        coreGetModelInfo: build.query<CoreGetModelInfoApiResponse, CoreGetModelInfoApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}`,
            }),
        }),
        coreUpdateModel: build.mutation<CoreUpdateModelApiResponse, CoreUpdateModelApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}`,
                method: "POST",
                body: queryArg.modelCreateUpdateData,
            }),
        }),
        coreDeleteModel: build.mutation<CoreDeleteModelApiResponse, CoreDeleteModelApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}`,
                method: "DELETE",
            }),
        }),
        coreGetModelPublicSettings: build.query<
            CoreGetModelPublicSettingsApiResponse,
            CoreGetModelPublicSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/public-settings`,
            }),
        }),
        coreUpdateModelPublicSettings: build.mutation<
            CoreUpdateModelPublicSettingsApiResponse,
            CoreUpdateModelPublicSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/public-settings`,
                method: "POST",
                body: queryArg.modelPublicSettingsData,
            }),
        }),
        coreGetModelBillingSettings: build.query<
            CoreGetModelBillingSettingsApiResponse,
            CoreGetModelBillingSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/billing`,
            }),
        }),
        coreUpdateModelBillingSettings: build.mutation<
            CoreUpdateModelBillingSettingsApiResponse,
            CoreUpdateModelBillingSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/billing`,
                method: "POST",
                body: queryArg.modelBillingSettingsData,
            }),
        }),
        coreUpdateModelArchiveSettings: build.mutation<
            CoreUpdateModelArchiveSettingsApiResponse,
            CoreUpdateModelArchiveSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/archive`,
                method: "POST",
                body: queryArg.modelArchiveSettingsData,
            }),
        }),
        coreUpdateModelHttpSettings: build.mutation<
            CoreUpdateModelHttpSettingsApiResponse,
            CoreUpdateModelHttpSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/http`,
                method: "POST",
                body: queryArg.modelHttpSettingsData,
            }),
        }),
        coreGetSimpleDoc: build.query<CoreGetSimpleDocApiResponse, CoreGetSimpleDocApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/simple-doc`,
            }),
        }),
        coreUpdateSimpleDoc: build.mutation<CoreUpdateSimpleDocApiResponse, CoreUpdateSimpleDocApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/simple-doc`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        coreGetServiceDescriptor: build.query<CoreGetServiceDescriptorApiResponse, CoreGetServiceDescriptorApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/action-descriptor`,
            }),
        }),
        coreUpdateServiceDescriptor: build.mutation<
            CoreUpdateServiceDescriptorApiResponse,
            CoreUpdateServiceDescriptorApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/service-descriptor`,
                method: "POST",
                body: queryArg.serviceDescriptorData,
            }),
        }),
        coreGetModelVersions: build.query<CoreGetModelVersionsApiResponse, CoreGetModelVersionsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/versions`,
                params: {
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetModelVersion: build.query<CoreGetModelVersionApiResponse, CoreGetModelVersionApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/versions/${encodeURIComponent(String(queryArg.version))}`,
            }),
        }),
        coreRestoreModelVersion: build.mutation<CoreRestoreModelVersionApiResponse, CoreRestoreModelVersionApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/versions/${encodeURIComponent(String(queryArg.version))}/restore`,
                method: "POST",
            }),
        }),
        coreUpdateLastActivity: build.mutation<CoreUpdateLastActivityApiResponse, CoreUpdateLastActivityApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/activity`,
                method: "POST",
            }),
        }),
        coreUpdateLastActivities: build.mutation<CoreUpdateLastActivitiesApiResponse, CoreUpdateLastActivitiesApiArg>({
            query: (queryArg) => ({ url: `/api/mlpcore/admin/update-activities`, method: "POST", body: queryArg.body }),
        }),
        coreGetGroups: build.query<CoreGetGroupsApiResponse, CoreGetGroupsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model-group`,
            }),
        }),
        coreCreateGroup: build.mutation<CoreCreateGroupApiResponse, CoreCreateGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model-group`,
                method: "POST",
                body: queryArg.modelGroupData,
            }),
        }),
        coreUpdateGroup: build.mutation<CoreUpdateGroupApiResponse, CoreUpdateGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model-group`,
                method: "PATCH",
                body: queryArg.modelGroupData,
            }),
        }),
        coreDeleteGroup: build.mutation<CoreDeleteGroupApiResponse, CoreDeleteGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model-group/${encodeURIComponent(String(queryArg.groupId))}`,
                method: "DELETE",
            }),
        }),
        coreSetModelGroup: build.mutation<CoreSetModelGroupApiResponse, CoreSetModelGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/model-group/${encodeURIComponent(String(queryArg.groupId))}`,
                method: "PATCH",
            }),
        }),
        coreRemoveModelGroup: build.mutation<CoreRemoveModelGroupApiResponse, CoreRemoveModelGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/model-group`,
                method: "DELETE",
            }),
        }),
        coreListExamples: build.query<CoreListExamplesApiResponse, CoreListExamplesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/example`,
            }),
        }),
        coreCreateExample: build.mutation<CoreCreateExampleApiResponse, CoreCreateExampleApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/example`,
                method: "POST",
                body: queryArg.exampleCreateData,
            }),
        }),
        coreUpdateExample: build.mutation<CoreUpdateExampleApiResponse, CoreUpdateExampleApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/example/${encodeURIComponent(String(queryArg.exampleId))}`,
                method: "POST",
                body: queryArg.exampleUpdateData,
            }),
        }),
        coreDeleteExample: build.mutation<CoreDeleteExampleApiResponse, CoreDeleteExampleApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/example/${encodeURIComponent(String(queryArg.exampleId))}`,
                method: "DELETE",
            }),
        }),
        coreListPredictConfigs: build.query<CoreListPredictConfigsApiResponse, CoreListPredictConfigsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/predict-config`,
            }),
        }),
        coreCreatePredictConfig: build.mutation<CoreCreatePredictConfigApiResponse, CoreCreatePredictConfigApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/predict-config`,
                method: "POST",
                body: queryArg.configCreateUpdateData,
            }),
        }),
        coreGetPredictConfig: build.query<CoreGetPredictConfigApiResponse, CoreGetPredictConfigApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/predict-config/${encodeURIComponent(String(queryArg.configId))}`,
            }),
        }),
        coreUpdatePredictConfig: build.mutation<CoreUpdatePredictConfigApiResponse, CoreUpdatePredictConfigApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/predict-config/${encodeURIComponent(String(queryArg.configId))}`,
                method: "POST",
                body: queryArg.configCreateUpdateData,
            }),
        }),
        coreDeletePredictConfig: build.mutation<CoreDeletePredictConfigApiResponse, CoreDeletePredictConfigApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/predict-config/${encodeURIComponent(String(queryArg.configId))}`,
                method: "DELETE",
            }),
        }),
        coreListRegistryCredentials: build.query<
            CoreListRegistryCredentialsApiResponse,
            CoreListRegistryCredentialsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/registry-credential`,
            }),
        }),
        coreCreateRegistryCredential: build.mutation<
            CoreCreateRegistryCredentialApiResponse,
            CoreCreateRegistryCredentialApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/registry-credential`,
                method: "POST",
                body: queryArg.registryCredentialCreateData,
            }),
        }),
        coreReplaceRegistryCredential: build.mutation<
            CoreReplaceRegistryCredentialApiResponse,
            CoreReplaceRegistryCredentialApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/registry-credential/${encodeURIComponent(String(queryArg.credentialId))}`,
                method: "POST",
                body: queryArg.registryCredentialReplaceData,
            }),
        }),
        coreDeleteRegistryCredential: build.mutation<
            CoreDeleteRegistryCredentialApiResponse,
            CoreDeleteRegistryCredentialApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/registry-credential/${encodeURIComponent(String(queryArg.credentialId))}`,
                method: "DELETE",
            }),
        }),
        coreListSecrets: build.query<CoreListSecretsApiResponse, CoreListSecretsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/secret`,
            }),
        }),
        coreCreateSecret: build.mutation<CoreCreateSecretApiResponse, CoreCreateSecretApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/secret`,
                method: "POST",
                body: queryArg.secretCreateData,
            }),
        }),
        coreReplaceSecret: build.mutation<CoreReplaceSecretApiResponse, CoreReplaceSecretApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/secret/${encodeURIComponent(String(queryArg.secretId))}`,
                method: "POST",
                body: queryArg.secretReplaceData,
            }),
        }),
        coreDeleteSecret: build.mutation<CoreDeleteSecretApiResponse, CoreDeleteSecretApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/secret/${encodeURIComponent(String(queryArg.secretId))}`,
                method: "DELETE",
            }),
        }),
        coreGetApiSpecification: build.query<CoreGetApiSpecificationApiResponse, CoreGetApiSpecificationApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/api-specification`,
            }),
        }),
        coreGetSpecificationFile: build.query<CoreGetSpecificationFileApiResponse, CoreGetSpecificationFileApiArg>({
            query: (queryArg) => ({ url: `/api/mlpcore/specs/${encodeURIComponent(String(queryArg.file))}` }),
        }),
        coreGetDatasetDataTypes: build.query<CoreGetDatasetDataTypesApiResponse, CoreGetDatasetDataTypesApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/dataset-data-type` }),
        }),
        coreGetCaptchaConfig: build.query<CoreGetCaptchaConfigApiResponse, CoreGetCaptchaConfigApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/captcha` }),
        }),
        coreGetModelDefaults: build.query<CoreGetModelDefaultsApiResponse, CoreGetModelDefaultsApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/model-defaults` }),
        }),
        coreGetAllResourceGroups: build.query<CoreGetAllResourceGroupsApiResponse, CoreGetAllResourceGroupsApiArg>({
            query: () => ({ url: `/api/mlpcore/admin/resource-groups` }),
        }),
        coreChangeResourceGroups: build.mutation<CoreChangeResourceGroupsApiResponse, CoreChangeResourceGroupsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/resource-groups`,
                method: "PATCH",
                body: queryArg.resourceGroupsChange,
            }),
        }),
        coreMigrateServices: build.mutation<CoreMigrateServicesApiResponse, CoreMigrateServicesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/models/resource-group/migrate`,
                method: "POST",
                params: {
                    sourceGroup: queryArg.sourceGroup,
                    targetGroup: queryArg.targetGroup,
                    targetGroupRegex: queryArg.targetGroupRegex,
                    accountsLimit: queryArg.accountsLimit,
                    dryRun: queryArg.dryRun,
                },
            }),
        }),
        coreGetResourceGroupLogs: build.query<CoreGetResourceGroupLogsApiResponse, CoreGetResourceGroupLogsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/logs`,
            }),
        }),
        coreGetResourceGroupLogsPage: build.query<
            CoreGetResourceGroupLogsPageApiResponse,
            CoreGetResourceGroupLogsPageApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/logs/page`,
                params: {
                    minutes: queryArg.minutes,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetResourceGroupCapacityLogs: build.query<
            CoreGetResourceGroupCapacityLogsApiResponse,
            CoreGetResourceGroupCapacityLogsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/capacity/logs`,
                params: {
                    serverName: queryArg.serverName,
                },
            }),
        }),
        coreGetResourceGroupCapacityLogsPage: build.query<
            CoreGetResourceGroupCapacityLogsPageApiResponse,
            CoreGetResourceGroupCapacityLogsPageApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/capacity/logs/page`,
                params: {
                    minutes: queryArg.minutes,
                    serverName: queryArg.serverName,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetOwnedResourceGroupsShortStatus: build.query<
            CoreGetOwnedResourceGroupsShortStatusApiResponse,
            CoreGetOwnedResourceGroupsShortStatusApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/owned-resource-groups/short-status`,
            }),
        }),
        coreGetResourceGroupCapacity: build.query<
            CoreGetResourceGroupCapacityApiResponse,
            CoreGetResourceGroupCapacityApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/capacity`,
            }),
        }),
        coreGetResourceGroupActiveServices: build.query<
            CoreGetResourceGroupActiveServicesApiResponse,
            CoreGetResourceGroupActiveServicesApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/active-services`,
            }),
        }),
        coreGetResourceGroupAllServices: build.query<
            CoreGetResourceGroupAllServicesApiResponse,
            CoreGetResourceGroupAllServicesApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/all-services`,
            }),
        }),
        coreGetResourceGroupServices: build.query<
            CoreGetResourceGroupServicesApiResponse,
            CoreGetResourceGroupServicesApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/services`,
                params: {
                    time: queryArg.time,
                },
            }),
        }),
        coreGetResourceGroupServicesInfo: build.query<
            CoreGetResourceGroupServicesInfoApiResponse,
            CoreGetResourceGroupServicesInfoApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/services-info`,
                params: {
                    time: queryArg.time,
                },
            }),
        }),
        corePreviewPlacement: build.query<CorePreviewPlacementApiResponse, CorePreviewPlacementApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/placement/preview`,
                method: "POST",
                body: queryArg.placementPreviewRequest,
            }),
        }),
        coreGetLimitUse: build.query<CoreGetLimitUseApiResponse, CoreGetLimitUseApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/limits/use`,
            }),
        }),
        coreGetLicense: build.query<CoreGetLicenseApiResponse, CoreGetLicenseApiArg>({
            query: () => ({ url: `/api/mlpcore/admin/license` }),
        }),
        coreGetAccountMetric: build.query<CoreGetAccountMetricApiResponse, CoreGetAccountMetricApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/metric`,
                params: {
                    metrics: queryArg.metrics,
                },
            }),
        }),
        coreGetAccountMetricRange: build.query<CoreGetAccountMetricRangeApiResponse, CoreGetAccountMetricRangeApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/metric-range`,
                params: {
                    metrics: queryArg.metrics,
                    minutes: queryArg.minutes,
                    stepSeconds: queryArg.stepSeconds,
                },
            }),
        }),
        coreGetEarliestTimestampOfAccountMetric: build.query<
            CoreGetEarliestTimestampOfAccountMetricApiResponse,
            CoreGetEarliestTimestampOfAccountMetricApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/metric/start-time`,
                params: {
                    metric: queryArg.metric,
                },
            }),
        }),
        coreGetModelMetric: build.query<CoreGetModelMetricApiResponse, CoreGetModelMetricApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/metric`,
                params: {
                    metrics: queryArg.metrics,
                    time: queryArg.time,
                },
            }),
        }),
        coreGetModelMetricRange: build.query<CoreGetModelMetricRangeApiResponse, CoreGetModelMetricRangeApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/metric-range`,
                params: {
                    metrics: queryArg.metrics,
                    minutes: queryArg.minutes,
                    stepSeconds: queryArg.stepSeconds,
                },
            }),
        }),
        coreGetEarliestTimestampOfModelMetric: build.query<
            CoreGetEarliestTimestampOfModelMetricApiResponse,
            CoreGetEarliestTimestampOfModelMetricApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/metric/start-time`,
                params: {
                    metric: queryArg.metric,
                },
            }),
        }),
        coreGetInstanceMetric: build.query<CoreGetInstanceMetricApiResponse, CoreGetInstanceMetricApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/metric`,
                params: {
                    metrics: queryArg.metrics,
                },
            }),
        }),
        coreGetInstanceMetricRange: build.query<
            CoreGetInstanceMetricRangeApiResponse,
            CoreGetInstanceMetricRangeApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/metric-range`,
                params: {
                    metrics: queryArg.metrics,
                    minutes: queryArg.minutes,
                    stepSeconds: queryArg.stepSeconds,
                },
            }),
        }),
        coreGetEarliestTimestampOfInstanceMetric: build.query<
            CoreGetEarliestTimestampOfInstanceMetricApiResponse,
            CoreGetEarliestTimestampOfInstanceMetricApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/metric/start-time`,
                params: {
                    metric: queryArg.metric,
                },
            }),
        }),
        coreGetResourceGroupMetric: build.query<
            CoreGetResourceGroupMetricApiResponse,
            CoreGetResourceGroupMetricApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/metric`,
                params: {
                    metrics: queryArg.metrics,
                    time: queryArg.time,
                    nodeName: queryArg.nodeName,
                },
            }),
        }),
        coreGetResourceMetricRange: build.query<
            CoreGetResourceMetricRangeApiResponse,
            CoreGetResourceMetricRangeApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/metric-range`,
                params: {
                    metrics: queryArg.metrics,
                    minutes: queryArg.minutes,
                    stepSeconds: queryArg.stepSeconds,
                    nodeName: queryArg.nodeName,
                },
            }),
        }),
        coreGetEarliestTimestampOfResourceGroupMetric: build.query<
            CoreGetEarliestTimestampOfResourceGroupMetricApiResponse,
            CoreGetEarliestTimestampOfResourceGroupMetricApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/metric/start-time`,
                params: {
                    metric: queryArg.metric,
                    nodeName: queryArg.nodeName,
                },
            }),
        }),
        coreGetModelsMetric: build.query<CoreGetModelsMetricApiResponse, CoreGetModelsMetricApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/models/metric`,
                params: {
                    metrics: queryArg.metrics,
                    models: queryArg.models,
                    time: queryArg.time,
                },
            }),
        }),
        coreGetModelsMetricsById: build.query<CoreGetModelsMetricsByIdApiResponse, CoreGetModelsMetricsByIdApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/models/metrics`,
                params: {
                    metrics: queryArg.metrics,
                    modelsIdes: queryArg.modelsIdes,
                    time: queryArg.time,
                },
            }),
        }),
        coreGetMetrics: build.query<CoreGetMetricsApiResponse, CoreGetMetricsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/request-metrics`,
                params: {
                    account: queryArg.account,
                    startDate: queryArg.startDate,
                    endDate: queryArg.endDate,
                    fromDate: queryArg.fromDate,
                    type: queryArg["type"],
                },
            }),
        }),
        coreGetModelMetrics: build.query<CoreGetModelMetricsApiResponse, CoreGetModelMetricsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/request-metrics/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}`,
                params: {
                    startDate: queryArg.startDate,
                    endDate: queryArg.endDate,
                    type: queryArg["type"],
                },
            }),
        }),
        coreSaveMetrics: build.mutation<CoreSaveMetricsApiResponse, CoreSaveMetricsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/request-metrics/save`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        coreGetScalingState: build.query<CoreGetScalingStateApiResponse, CoreGetScalingStateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/autoscaling`,
            }),
        }),
        coreGetScalingDecisions: build.query<CoreGetScalingDecisionsApiResponse, CoreGetScalingDecisionsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/autoscaling/decisions`,
                params: {
                    before: queryArg.before,
                    minutes: queryArg.minutes,
                    limit: queryArg.limit,
                },
            }),
        }),
        coreDryRunScaling: build.mutation<CoreDryRunScalingApiResponse, CoreDryRunScalingApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/autoscaling/dry-run`,
                method: "POST",
                body: queryArg.modelAutoScalingConfiguration,
                params: {
                    hours: queryArg.hours,
                },
            }),
        }),
        coreGetModelGroupType: build.query<CoreGetModelGroupTypeApiResponse, CoreGetModelGroupTypeApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/group`,
            }),
        }),
        coreGetResourceGroupsForAccount: build.query<
            CoreGetResourceGroupsForAccountApiResponse,
            CoreGetResourceGroupsForAccountApiArg
        >({
            query: () => ({ url: `/api/mlpcore/system-config/resource-groups` }),
        }),
        coreGetResourceGroupTypes: build.query<CoreGetResourceGroupTypesApiResponse, CoreGetResourceGroupTypesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-group-types`,
            }),
        }),
        coreGetOwnedResourceGroups: build.query<
            CoreGetOwnedResourceGroupsApiResponse,
            CoreGetOwnedResourceGroupsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/owned-resource-groups`,
            }),
        }),
        coreGetDeployableResourceGroups: build.query<
            CoreGetDeployableResourceGroupsApiResponse,
            CoreGetDeployableResourceGroupsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/deployable-resource-groups`,
            }),
        }),
        coreCreateResourceGroup: build.mutation<CoreCreateResourceGroupApiResponse, CoreCreateResourceGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups`,
                method: "POST",
                body: queryArg.createResourceGroupData,
            }),
        }),
        coreGetResourceGroup: build.query<CoreGetResourceGroupApiResponse, CoreGetResourceGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}`,
            }),
        }),
        coreUpdateResourceGroup: build.mutation<CoreUpdateResourceGroupApiResponse, CoreUpdateResourceGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}`,
                method: "POST",
                body: queryArg.updateResourceGroupData,
            }),
        }),
        coreDeleteResourceGroup: build.mutation<CoreDeleteResourceGroupApiResponse, CoreDeleteResourceGroupApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}`,
                method: "DELETE",
            }),
        }),
        coreGetTemplates: build.query<CoreGetTemplatesApiResponse, CoreGetTemplatesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server/template`,
            }),
        }),
        coreGetOwnTemplates: build.query<CoreGetOwnTemplatesApiResponse, CoreGetOwnTemplatesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/server/template`,
            }),
        }),
        coreAddServerTemplate: build.mutation<CoreAddServerTemplateApiResponse, CoreAddServerTemplateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/server/template`,
                method: "POST",
                body: queryArg.createUpdateServerTemplateData,
            }),
        }),
        coreGetPublicTemplates: build.query<CoreGetPublicTemplatesApiResponse, CoreGetPublicTemplatesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/server/template/public`,
                params: {
                    groupType: queryArg.groupType,
                },
            }),
        }),
        coreUpdateServerTemplate: build.mutation<CoreUpdateServerTemplateApiResponse, CoreUpdateServerTemplateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/server/template/${encodeURIComponent(String(queryArg.templateId))}`,
                method: "POST",
                body: queryArg.createUpdateServerTemplateData,
            }),
        }),
        coreDeleteServerTemplate: build.mutation<CoreDeleteServerTemplateApiResponse, CoreDeleteServerTemplateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/server/template/${encodeURIComponent(String(queryArg.templateId))}`,
                method: "DELETE",
            }),
        }),
        coreGetServerTemplateAvailability: build.query<
            CoreGetServerTemplateAvailabilityApiResponse,
            CoreGetServerTemplateAvailabilityApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/server/template/${encodeURIComponent(String(queryArg.templateId))}/availability`,
            }),
        }),
        coreGetModelTemplates: build.query<CoreGetModelTemplatesApiResponse, CoreGetModelTemplatesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/templates`,
                params: {
                    count: queryArg.count,
                },
            }),
        }),
        coreCreateServer: build.mutation<CoreCreateServerApiResponse, CoreCreateServerApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server`,
                method: "POST",
                body: queryArg.createResourceGroupServer,
            }),
        }),
        coreGetServers: build.query<CoreGetServersApiResponse, CoreGetServersApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server`,
            }),
        }),
        coreGetServersStatus: build.query<CoreGetServersStatusApiResponse, CoreGetServersStatusApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server/status`,
            }),
        }),
        coreGetServer: build.query<CoreGetServerApiResponse, CoreGetServerApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server/${encodeURIComponent(String(queryArg.serverId))}`,
            }),
        }),
        coreDeleteServer: build.mutation<CoreDeleteServerApiResponse, CoreDeleteServerApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server/${encodeURIComponent(String(queryArg.serverId))}`,
                method: "DELETE",
            }),
        }),
        coreGetServerStatus: build.query<CoreGetServerStatusApiResponse, CoreGetServerStatusApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/resource-groups/${encodeURIComponent(String(queryArg.groupName))}/server/${encodeURIComponent(String(queryArg.serverId))}/status`,
            }),
        }),
        coreGetExternalConnections: build.query<
            CoreGetExternalConnectionsApiResponse,
            CoreGetExternalConnectionsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/external`,
            }),
        }),
        coreCreateExternalConnection: build.mutation<
            CoreCreateExternalConnectionApiResponse,
            CoreCreateExternalConnectionApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/external`,
                method: "POST",
                params: {
                    httpHost: queryArg.httpHost,
                    httpPort: queryArg.httpPort,
                },
            }),
        }),
        coreCreateExternalApplicationConnection: build.mutation<
            CoreCreateExternalApplicationConnectionApiResponse,
            CoreCreateExternalApplicationConnectionApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/external-application`,
                method: "POST",
            }),
        }),
        coreDeleteExternalConnection: build.mutation<
            CoreDeleteExternalConnectionApiResponse,
            CoreDeleteExternalConnectionApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/external/${encodeURIComponent(String(queryArg.instanceId))}`,
                method: "DELETE",
            }),
        }),
        coreGetInstances: build.query<CoreGetInstancesApiResponse, CoreGetInstancesApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance`,
            }),
        }),
        coreGetInstancesStatus: build.query<CoreGetInstancesStatusApiResponse, CoreGetInstancesStatusApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instances`,
            }),
        }),
        coreSetInstancesCount: build.mutation<CoreSetInstancesCountApiResponse, CoreSetInstancesCountApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instances`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        coreStartSingleInstance: build.mutation<CoreStartSingleInstanceApiResponse, CoreStartSingleInstanceApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instances/single`,
                method: "POST",
                params: {
                    causeAccountId: queryArg.causeAccountId,
                },
            }),
        }),
        coreStartInstance: build.mutation<CoreStartInstanceApiResponse, CoreStartInstanceApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/start`,
                method: "POST",
            }),
        }),
        coreRollingUpdate: build.mutation<CoreRollingUpdateApiResponse, CoreRollingUpdateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/rolling-update`,
                method: "POST",
            }),
        }),
        coreLastJob: build.query<CoreLastJobApiResponse, CoreLastJobApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/last-job`,
            }),
        }),
        coreStopInstance: build.mutation<CoreStopInstanceApiResponse, CoreStopInstanceApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/stop`,
                method: "POST",
            }),
        }),
        coreTerminateInstance: build.mutation<CoreTerminateInstanceApiResponse, CoreTerminateInstanceApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/terminate`,
                method: "POST",
            }),
        }),
        coreGetInstanceLastState: build.query<CoreGetInstanceLastStateApiResponse, CoreGetInstanceLastStateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/laststate`,
            }),
        }),
        coreGetInstanceTiming: build.query<CoreGetInstanceTimingApiResponse, CoreGetInstanceTimingApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/timing`,
            }),
        }),
        coreGetInstanceEnvironment: build.query<
            CoreGetInstanceEnvironmentApiResponse,
            CoreGetInstanceEnvironmentApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/environment`,
            }),
        }),
        coreGetInstanceEvents: build.query<CoreGetInstanceEventsApiResponse, CoreGetInstanceEventsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/events`,
            }),
        }),
        coreGetInstanceLogs: build.query<CoreGetInstanceLogsApiResponse, CoreGetInstanceLogsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/file/logs`,
                params: {
                    previousContainer: queryArg.previousContainer,
                },
            }),
        }),
        coreGetInstanceLogTail: build.query<CoreGetInstanceLogTailApiResponse, CoreGetInstanceLogTailApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/file/logs/tail`,
                params: {
                    previousContainer: queryArg.previousContainer,
                    run: queryArg.run,
                    since: queryArg.since,
                },
            }),
        }),
        coreGetModelStatus: build.query<CoreGetModelStatusApiResponse, CoreGetModelStatusApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/status`,
            }),
        }),
        coreGetModelLogs: build.query<CoreGetModelLogsApiResponse, CoreGetModelLogsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/logs`,
            }),
        }),
        coreRollingUpdateAllInstances: build.mutation<
            CoreRollingUpdateAllInstancesApiResponse,
            CoreRollingUpdateAllInstancesApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/instances/rolling-update`,
                method: "POST",
                params: {
                    onlyK8s: queryArg.onlyK8S,
                },
            }),
        }),
        coreUpdateInstanceMetadata: build.mutation<
            CoreUpdateInstanceMetadataApiResponse,
            CoreUpdateInstanceMetadataApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/instance/${encodeURIComponent(String(queryArg.instanceId))}/metadata`,
                method: "POST",
                body: queryArg.instanceMetadata,
            }),
        }),
        coreListJobs: build.query<CoreListJobsApiResponse, CoreListJobsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/task`,
                params: {
                    account: queryArg.account,
                    model: queryArg.model,
                    instanceId: queryArg.instanceId,
                    groupName: queryArg.groupName,
                    serverId: queryArg.serverId,
                    excludeStatus: queryArg.excludeStatus,
                },
            }),
        }),
        coreListAccountJobs: build.query<CoreListAccountJobsApiResponse, CoreListAccountJobsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/task/user`,
                params: {
                    account: queryArg.account,
                    model: queryArg.model,
                    instanceId: queryArg.instanceId,
                    groupName: queryArg.groupName,
                    serverId: queryArg.serverId,
                    excludeStatus: queryArg.excludeStatus,
                },
            }),
        }),
        coreListSelectedAccountJobs: build.query<
            CoreListSelectedAccountJobsApiResponse,
            CoreListSelectedAccountJobsApiArg
        >({
            query: () => ({ url: `/api/mlpcore/task/list` }),
        }),
        coreShortTasksView: build.query<CoreShortTasksViewApiResponse, CoreShortTasksViewApiArg>({
            query: () => ({ url: `/api/mlpcore/task/short` }),
        }),
        coreMarkTasksRead: build.mutation<CoreMarkTasksReadApiResponse, CoreMarkTasksReadApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/task/read`,
                method: "POST",
                params: {
                    jobId: queryArg.jobId,
                },
            }),
        }),
        coreStopJob: build.mutation<CoreStopJobApiResponse, CoreStopJobApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/task/${encodeURIComponent(String(queryArg.taskId))}/stop`,
                method: "POST",
            }),
        }),
        coreGetNotifications: build.query<CoreGetNotificationsApiResponse, CoreGetNotificationsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/notification`,
                params: {
                    limit: queryArg.limit,
                },
            }),
        }),
        coreMarkNotificationsRead: build.mutation<
            CoreMarkNotificationsReadApiResponse,
            CoreMarkNotificationsReadApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/notification`,
                method: "PUT",
                body: queryArg.notificationReadRequest,
            }),
        }),
        coreGetNotificationSettings: build.query<
            CoreGetNotificationSettingsApiResponse,
            CoreGetNotificationSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/notification/settings`,
            }),
        }),
        coreUpdateNotificationSettings: build.mutation<
            CoreUpdateNotificationSettingsApiResponse,
            CoreUpdateNotificationSettingsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/notification/settings`,
                method: "PUT",
                body: queryArg.notificationSettingsRequest,
            }),
        }),
        coreBroadcastNotification: build.mutation<
            CoreBroadcastNotificationApiResponse,
            CoreBroadcastNotificationApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpcore/notification/broadcast`,
                method: "POST",
                body: queryArg.broadcastNotificationRequest,
            }),
        }),
        coreGetAccountClicks: build.query<CoreGetAccountClicksApiResponse, CoreGetAccountClicksApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/clicks`,
                params: {
                    startDate: queryArg.startDate,
                    endDate: queryArg.endDate,
                },
            }),
        }),
        coreGetModelClicks: build.query<CoreGetModelClicksApiResponse, CoreGetModelClicksApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/clicks`,
                params: {
                    startDate: queryArg.startDate,
                    endDate: queryArg.endDate,
                },
            }),
        }),
        coreRequestFeature: build.mutation<CoreRequestFeatureApiResponse, CoreRequestFeatureApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/management/${encodeURIComponent(String(queryArg.featureName))}`,
                method: "POST",
                body: queryArg.managementRequestData,
            }),
        }),
        coreSendContactRequest: build.mutation<CoreSendContactRequestApiResponse, CoreSendContactRequestApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/sendContactRequest`,
                method: "POST",
                body: queryArg.contactRequestData,
            }),
        }),
        coreGetTeamRequests: build.query<CoreGetTeamRequestsApiResponse, CoreGetTeamRequestsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/team-requests`,
                params: {
                    state: queryArg.state,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        coreGetTeamRequest: build.query<CoreGetTeamRequestApiResponse, CoreGetTeamRequestApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/team-requests/${encodeURIComponent(String(queryArg.requestId))}`,
            }),
        }),
        coreUpdateTeamRequest: build.mutation<CoreUpdateTeamRequestApiResponse, CoreUpdateTeamRequestApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/team-requests/${encodeURIComponent(String(queryArg.requestId))}`,
                method: "PUT",
                body: queryArg.teamRequestUpdate,
            }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as coreApi };
export type CoreEnsureAccountApiResponse = /** status 200 Successful Response */ AccountInfoData;
export type CoreEnsureAccountApiArg = void;
export type CoreUpdateAccountDataApiResponse = /** status 200 Successful Response */ AccountInfoData;
export type CoreUpdateAccountDataApiArg = {
    accountUpdateData: AccountUpdateData;
};
export type CoreEnsureAccountWithIdApiResponse = /** status 200 Successful Response */ AccountInfoData;
export type CoreEnsureAccountWithIdApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetAccountPublicNameApiResponse = /** status 200 Successful Response */ string;
export type CoreGetAccountPublicNameApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreUpdateAccountActivityApiResponse = unknown;
export type CoreUpdateAccountActivityApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetAccountsApiResponse = /** status 200 Successful Response */ AccountInfoData[];
export type CoreGetAccountsApiArg = {
    name?: string | null;
    limit?: number;
    skip?: number;
};
export type CoreGetAccountApiResponse = /** status 200 Successful Response */ AccountInfoData;
export type CoreGetAccountApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetAccountFeaturesApiResponse = /** status 200 Successful Response */ AccountFeatureData;
export type CoreGetAccountFeaturesApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreUpdateFeaturesApiResponse = unknown;
export type CoreUpdateFeaturesApiArg = {
    /** account id, or short name */
    account: string;
    accountFeatureUpdate: AccountFeatureUpdate;
};
export type CoreUpdateLimitsApiResponse = /** status 200 Successful Response */ AccountInfoData;
export type CoreUpdateLimitsApiArg = {
    /** account id, or short name */
    account: string;
    accountLimitsUpdate: AccountLimitsUpdate;
};
export type CoreGetAccountChangesApiResponse = /** status 200 Successful Response */ PagedAccountChanges;
export type CoreGetAccountChangesApiArg = {
    /** account id, or short name */
    account: string;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreUpdateWhiteListApiResponse = unknown;
export type CoreUpdateWhiteListApiArg = {
    /** account id, or short name */
    account: string;
    reason?: string | null;
    body: string[];
};
export type CoreGetAccessByIpApiResponse = /** status 200 Successful Response */ AccessByIp;
export type CoreGetAccessByIpApiArg = {
    /** account id, or short name */
    account: string;
    ipAddress: string;
};
export type CoreListAccessTokensApiResponse = /** status 200 Successful Response */ AccessTokenData[];
export type CoreListAccessTokensApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreCreateAccessTokenApiResponse = /** status 200 Successful Response */ AccessTokenData;
export type CoreCreateAccessTokenApiArg = {
    /** account id, or short name */
    account: string;
    name?: string | null;
    body: AccessTokenCreateUpdateData | null;
};
export type CoreCheckAccessTokenApiResponse = /** status 200 Successful Response */ AccessTokenData;
export type CoreCheckAccessTokenApiArg = {
    token: number;
    /** account id, or short name */
    account: string;
};
export type CoreUpdateAccessTokenApiResponse = /** status 200 Successful Response */ AccessTokenData;
export type CoreUpdateAccessTokenApiArg = {
    token: number;
    /** account id, or short name */
    account: string;
    accessTokenCreateUpdateData: AccessTokenCreateUpdateData;
};
export type CoreDeleteAccessTokenApiResponse = unknown;
export type CoreDeleteAccessTokenApiArg = {
    token: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetCallerInfoApiResponse = /** status 200 Successful Response */ CallerInfo;
export type CoreGetCallerInfoApiArg = {
    token?: string | null;
};
export type CoreAuthorizeApplicationApiResponse = /** status 200 Successful Response */ ApplicationAccessData;
export type CoreAuthorizeApplicationApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    application: string;
    mlpApplication?: string | null;
};
export type CoreCheckApplicationIsAliveApiResponse = /** status 200 Successful Response */ ApplicationHealthData;
export type CoreCheckApplicationIsAliveApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    application: string;
};
export type CoreEnsureApplicationTokenApiResponse = /** status 200 Successful Response */ string;
export type CoreEnsureApplicationTokenApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    application: string;
};
export type CoreSetApplicationCookieApiResponse = unknown;
export type CoreSetApplicationCookieApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    application: string;
};
export type CoreCreateImageApiResponse = /** status 200 Successful Response */ ImageInfoData;
export type CoreCreateImageApiArg = {
    /** account id, or short name */
    account: string;
    imageData: ImageData;
};
export type CoreGetPagedImagesApiResponse = /** status 200 Successful Response */ PagedImageInfoData;
export type CoreGetPagedImagesApiArg = {
    /** account id, or short name */
    account: string;
    name?: string | null;
    onlyMy?: boolean;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetPagedImagesV2ApiResponse = /** status 200 Successful Response */ PagedImageInfoData;
export type CoreGetPagedImagesV2ApiArg = {
    /** account id, or short name */
    account: string;
    name?: string | null;
    belonging?: Belonging;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetImageApiResponse = /** status 200 Successful Response */ ImageInfoData;
export type CoreGetImageApiArg = {
    /** account id, or short name */
    account: string;
    imageId: number;
};
export type CoreUpdateImageApiResponse = /** status 200 Successful Response */ ImageInfoData;
export type CoreUpdateImageApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
    imageData: ImageData;
};
export type CoreDeleteImageApiResponse = unknown;
export type CoreDeleteImageApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetImageLogsApiResponse = /** status 200 Successful Response */ StatLogData[];
export type CoreGetImageLogsApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
};
export type CoreRestartImageModelsApiResponse = unknown;
export type CoreRestartImageModelsApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
};
export type CoreCreateDataImageApiResponse = /** status 200 Successful Response */ DataImageInfoData;
export type CoreCreateDataImageApiArg = {
    /** account id, or short name */
    account: string;
    dataImageData: DataImageData;
};
export type CoreGetPagedDataImagesApiResponse = /** status 200 Successful Response */ PagedDataImageInfoData;
export type CoreGetPagedDataImagesApiArg = {
    /** account id, or short name */
    account: string;
    name?: string | null;
    onlyMy?: boolean;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetDataImageApiResponse = /** status 200 Successful Response */ DataImageInfoData;
export type CoreGetDataImageApiArg = {
    /** account id, or short name */
    account: string;
    imageId: number;
};
export type CoreUpdateDataImageApiResponse = /** status 200 Successful Response */ DataImageInfoData;
export type CoreUpdateDataImageApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
    dataImageData: DataImageData;
};
export type CoreDeleteDataImageApiResponse = unknown;
export type CoreDeleteDataImageApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetDataImageLogsApiResponse = /** status 200 Successful Response */ StatLogData[];
export type CoreGetDataImageLogsApiArg = {
    imageId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetS3CredentialsApiResponse = /** status 200 Successful Response */ S3CredentialsData;
export type CoreGetS3CredentialsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreRotateS3CredentialsApiResponse = /** status 200 Successful Response */ S3CredentialsData;
export type CoreRotateS3CredentialsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetS3StorageApiResponse = /** status 200 Successful Response */ S3StorageData;
export type CoreGetS3StorageApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreListS3ObjectsApiResponse = /** status 200 Successful Response */ S3ObjectListData;
export type CoreListS3ObjectsApiArg = {
    /** account id, or short name */
    account: string;
    prefix?: string;
    after?: string;
    limit?: number;
};
export type CorePutS3ObjectApiResponse = /** status 200 Successful Response */ S3ObjectData;
export type CorePutS3ObjectApiArg = {
    /** account id, or short name */
    account: string;
    key: string;
    body: Blob;
};
export type CoreGetS3ObjectApiResponse = /** status 200 Successful Response */ Blob;
export type CoreGetS3ObjectApiArg = {
    /** account id, or short name */
    account: string;
    key: string;
};
export type CoreDeleteS3ObjectsApiResponse = /** status 200 Successful Response */ S3DeletedData;
export type CoreDeleteS3ObjectsApiArg = {
    /** account id, or short name */
    account: string;
    s3DeleteData: S3DeleteData;
};
export type CoreDeleteEmptyMinioUsersApiResponse = /** status 200 Successful Response */ EmptyUsersResponse;
export type CoreDeleteEmptyMinioUsersApiArg = {
    count: number;
    dryRun: boolean;
};
export type CoreListDatasetsApiResponse = /** status 200 Successful Response */ DatasetInfoData[];
export type CoreListDatasetsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreDeprecatedCreateDatasetApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreDeprecatedCreateDatasetApiArg = {
    /** account id, or short name */
    account: string;
    deprecatedDatasetInfoWithContentData: DeprecatedDatasetInfoWithContentData;
};
export type CoreGetDatasetStorageApiResponse = /** status 200 Successful Response */ DatasetStorageData;
export type CoreGetDatasetStorageApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreCreateEmptyDatasetApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreCreateEmptyDatasetApiArg = {
    /** account id, or short name */
    account: string;
    createOrUpdateDatasetInfoData: CreateOrUpdateDatasetInfoData;
};
export type CoreGetDatasetInfoApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreGetDatasetInfoApiArg = {
    /** account id, or short name */
    account: string;
    datasetId: number;
};
export type CoreDeleteDatasetApiResponse = unknown;
export type CoreDeleteDatasetApiArg = {
    datasetId: number;
    /** account id, or short name */
    account: string;
};
export type CoreDeprecatedUpdateDatasetApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreDeprecatedUpdateDatasetApiArg = {
    datasetId: number;
    /** account id, or short name */
    account: string;
    deprecatedDatasetInfoWithContentData: DeprecatedDatasetInfoWithContentData;
};
export type CoreUpdateDatasetApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreUpdateDatasetApiArg = {
    datasetId: number;
    /** account id, or short name */
    account: string;
    createOrUpdateDatasetInfoData: CreateOrUpdateDatasetInfoData;
};
export type CoreGetDatasetLogsApiResponse = /** status 200 Successful Response */ StatLogData[];
export type CoreGetDatasetLogsApiArg = {
    datasetId: number;
    /** account id, or short name */
    account: string;
};
export type CoreCreateDatasetApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreCreateDatasetApiArg = {
    /** account id, or short name */
    account: string;
    name: string;
    description?: string | null;
    dataType?: string | null;
    accessMode?: ("private" | "public" | "restricted") | null;
    /** SHA-256 of the file in hexadecimal digits; others are refused */
    sha256?: string | null;
    body: {
        file: Blob;
    };
};
export type CoreDownloadDatasetRawContentApiResponse = /** status 200 Successful Response */ Blob;
export type CoreDownloadDatasetRawContentApiArg = {
    /** account id, or short name */
    account: string;
    datasetId: number;
    type?: string | null;
};
export type CoreUploadDatasetContentApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreUploadDatasetContentApiArg = {
    datasetId: number;
    /** account id, or short name */
    account: string;
    /** SHA-256 of the file in hexadecimal digits; others are refused */
    sha256?: string | null;
    body: {
        file: Blob;
    };
};
export type CoreGetDatasetRowsApiResponse = /** status 200 Successful Response */ DatasetRowsData;
export type CoreGetDatasetRowsApiArg = {
    /** account id, or short name */
    account: string;
    datasetId: number;
    first?: number;
    size?: number;
};
export type CoreChangeDatasetRowsApiResponse = /** status 200 Successful Response */ DatasetInfoData;
export type CoreChangeDatasetRowsApiArg = {
    datasetId: number;
    /** account id, or short name */
    account: string;
    datasetRowsChangeData: DatasetRowsChangeData;
};
export type CoreGetAllowedDatasetsForFitApiResponse = /** status 200 Successful Response */ DatasetInfoData[];
export type CoreGetAllowedDatasetsForFitApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreGetAllowedDataTypesForFitApiResponse = /** status 200 Successful Response */ string[];
export type CoreGetAllowedDataTypesForFitApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreCreateModelApiResponse = /** status 200 Successful Response */ ModelInfoData;
export type CoreCreateModelApiArg = {
    /** account id, or short name */
    account: string;
    modelCreateUpdateData: ModelCreateUpdateData;
};
export type CoreGetModelCountsApiResponse = /** status 200 Successful Response */ ModelCounts;
export type CoreGetModelCountsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetModelListApiResponse = /** status 200 Successful Response */ ModelInfoData[];
export type CoreGetModelListApiArg = {
    /** account id, or short name */
    account: string;
    modelListRequest: ModelListRequest;
};
export type CoreCheckModelNameAvailabilityApiResponse = /** status 200 Successful Response */ ModelNameAvailability;
export type CoreCheckModelNameAvailabilityApiArg = {
    modelName: string;
};
export type CoreGetRecentCallsApiResponse = /** status 200 Successful Response */ ModelRecentCallsData[];
export type CoreGetRecentCallsApiArg = {
    /** account id, or short name */
    account: string;
    modelId: number[];
};
export type CoreGetCallSeriesApiResponse = /** status 200 Successful Response */ CallSeriesData;
export type CoreGetCallSeriesApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    step?: StepName;
};
export type CoreCreateClonedModelApiResponse = /** status 200 Successful Response */ ModelInfoData;
export type CoreCreateClonedModelApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
    name: string;
    displayName?: string | null;
    displayAuthor?: string | null;
    autoStart?: boolean;
    templateId?: number | null;
};
export type CoreGetModelInfoApiResponse = /** status 200 Successful Response */ ModelInfoData;
export type CoreGetModelInfoApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreUpdateModelApiResponse = /** status 200 Successful Response */ ModelInfoData;
export type CoreUpdateModelApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    modelCreateUpdateData: ModelCreateUpdateData;
};
export type CoreDeleteModelApiResponse = unknown;
export type CoreDeleteModelApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetModelPublicSettingsApiResponse = /** status 200 Successful Response */ ModelPublicSettingsData;
export type CoreGetModelPublicSettingsApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreUpdateModelPublicSettingsApiResponse = /** status 200 Successful Response */ ModelPublicSettingsData;
export type CoreUpdateModelPublicSettingsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    modelPublicSettingsData: ModelPublicSettingsData;
};
export type CoreGetModelBillingSettingsApiResponse = /** status 200 Successful Response */ ModelBillingSettingsData;
export type CoreGetModelBillingSettingsApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreUpdateModelBillingSettingsApiResponse = /** status 200 Successful Response */ ModelBillingSettingsData;
export type CoreUpdateModelBillingSettingsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    modelBillingSettingsData: ModelBillingSettingsData;
};
export type CoreUpdateModelArchiveSettingsApiResponse = /** status 200 Successful Response */ ModelArchiveSettingsData;
export type CoreUpdateModelArchiveSettingsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    modelArchiveSettingsData: ModelArchiveSettingsData;
};
export type CoreUpdateModelHttpSettingsApiResponse = /** status 200 Successful Response */ ModelHttpSettingsData;
export type CoreUpdateModelHttpSettingsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    modelHttpSettingsData: ModelHttpSettingsData;
};
export type CoreGetSimpleDocApiResponse = /** status 200 Successful Response */ string;
export type CoreGetSimpleDocApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreUpdateSimpleDocApiResponse = /** status 200 Successful Response */ string;
export type CoreUpdateSimpleDocApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    body: string;
};
export type CoreGetServiceDescriptorApiResponse = /** status 200 Successful Response */ ServiceDescriptorData;
export type CoreGetServiceDescriptorApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreUpdateServiceDescriptorApiResponse = unknown;
export type CoreUpdateServiceDescriptorApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    serviceDescriptorData: ServiceDescriptorData;
};
export type CoreGetModelVersionsApiResponse = /** status 200 Successful Response */ PagedModelVersions;
export type CoreGetModelVersionsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetModelVersionApiResponse = /** status 200 Successful Response */ ModelVersionDetails;
export type CoreGetModelVersionApiArg = {
    /** model id, or name */
    model: string;
    /** number of the version */
    version: number;
    /** account id, or short name */
    account: string;
};
export type CoreRestoreModelVersionApiResponse = /** status 200 Successful Response */ ModelInfoData;
export type CoreRestoreModelVersionApiArg = {
    /** model id, or name */
    model: string;
    /** number of the version */
    version: number;
    /** account id, or short name */
    account: string;
};
export type CoreUpdateLastActivityApiResponse = unknown;
export type CoreUpdateLastActivityApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreUpdateLastActivitiesApiResponse = unknown;
export type CoreUpdateLastActivitiesApiArg = {
    body: LastActivityPk[];
};
export type CoreGetGroupsApiResponse = /** status 200 Successful Response */ ModelGroupData[];
export type CoreGetGroupsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreCreateGroupApiResponse = /** status 200 Successful Response */ ModelGroupData;
export type CoreCreateGroupApiArg = {
    /** account id, or short name */
    account: string;
    modelGroupData: ModelGroupData;
};
export type CoreUpdateGroupApiResponse = /** status 200 Successful Response */ ModelGroupData;
export type CoreUpdateGroupApiArg = {
    /** account id, or short name */
    account: string;
    modelGroupData: ModelGroupData;
};
export type CoreDeleteGroupApiResponse = unknown;
export type CoreDeleteGroupApiArg = {
    groupId: number;
    /** account id, or short name */
    account: string;
};
export type CoreSetModelGroupApiResponse = unknown;
export type CoreSetModelGroupApiArg = {
    /** model id, or name */
    model: string;
    groupId: number;
    /** account id, or short name */
    account: string;
};
export type CoreRemoveModelGroupApiResponse = unknown;
export type CoreRemoveModelGroupApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreListExamplesApiResponse = /** status 200 Successful Response */ ExampleData[];
export type CoreListExamplesApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreCreateExampleApiResponse = /** status 200 Successful Response */ ExampleData;
export type CoreCreateExampleApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    exampleCreateData: ExampleCreateData;
};
export type CoreUpdateExampleApiResponse = /** status 200 Successful Response */ ExampleData;
export type CoreUpdateExampleApiArg = {
    /** model id, or name */
    model: string;
    exampleId: number;
    /** account id, or short name */
    account: string;
    exampleUpdateData: ExampleUpdateData;
};
export type CoreDeleteExampleApiResponse = unknown;
export type CoreDeleteExampleApiArg = {
    /** model id, or name */
    model: string;
    exampleId: number;
    /** account id, or short name */
    account: string;
};
export type CoreListPredictConfigsApiResponse = /** status 200 Successful Response */ PredictConfigData[];
export type CoreListPredictConfigsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreCreatePredictConfigApiResponse = /** status 200 Successful Response */ PredictConfigData;
export type CoreCreatePredictConfigApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    configCreateUpdateData: ConfigCreateUpdateData;
};
export type CoreGetPredictConfigApiResponse = /** status 200 Successful Response */ PredictConfigData;
export type CoreGetPredictConfigApiArg = {
    /** model id, or name */
    model: string;
    configId: number;
    /** account id, or short name */
    account: string;
};
export type CoreUpdatePredictConfigApiResponse = /** status 200 Successful Response */ PredictConfigData;
export type CoreUpdatePredictConfigApiArg = {
    /** model id, or name */
    model: string;
    configId: number;
    /** account id, or short name */
    account: string;
    configCreateUpdateData: ConfigCreateUpdateData;
};
export type CoreDeletePredictConfigApiResponse = unknown;
export type CoreDeletePredictConfigApiArg = {
    /** model id, or name */
    model: string;
    configId: number;
    /** account id, or short name */
    account: string;
};
export type CoreListRegistryCredentialsApiResponse = /** status 200 Successful Response */ RegistryCredentialData[];
export type CoreListRegistryCredentialsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreCreateRegistryCredentialApiResponse = /** status 200 Successful Response */ RegistryCredentialData;
export type CoreCreateRegistryCredentialApiArg = {
    /** account id, or short name */
    account: string;
    registryCredentialCreateData: RegistryCredentialCreateDataWrite;
};
export type CoreReplaceRegistryCredentialApiResponse = /** status 200 Successful Response */ RegistryCredentialData;
export type CoreReplaceRegistryCredentialApiArg = {
    credentialId: number;
    /** account id, or short name */
    account: string;
    registryCredentialReplaceData: RegistryCredentialReplaceDataWrite;
};
export type CoreDeleteRegistryCredentialApiResponse = unknown;
export type CoreDeleteRegistryCredentialApiArg = {
    credentialId: number;
    /** account id, or short name */
    account: string;
};
export type CoreListSecretsApiResponse = /** status 200 Successful Response */ SecretData[];
export type CoreListSecretsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreCreateSecretApiResponse = /** status 200 Successful Response */ SecretData;
export type CoreCreateSecretApiArg = {
    /** account id, or short name */
    account: string;
    secretCreateData: SecretCreateDataWrite;
};
export type CoreReplaceSecretApiResponse = /** status 200 Successful Response */ SecretData;
export type CoreReplaceSecretApiArg = {
    secretId: number;
    /** account id, or short name */
    account: string;
    secretReplaceData: SecretReplaceDataWrite;
};
export type CoreDeleteSecretApiResponse = unknown;
export type CoreDeleteSecretApiArg = {
    secretId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetApiSpecificationApiResponse = /** status 200 Successful Response */ {
    [key: string]: any;
};
export type CoreGetApiSpecificationApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreGetSpecificationFileApiResponse = /** status 200 Successful Response */ object;
export type CoreGetSpecificationFileApiArg = {
    file: string;
};
export type CoreGetDatasetDataTypesApiResponse = /** status 200 Successful Response */ string[];
export type CoreGetDatasetDataTypesApiArg = void;
export type CoreGetCaptchaConfigApiResponse = /** status 200 Successful Response */ CaptchaData;
export type CoreGetCaptchaConfigApiArg = void;
export type CoreGetModelDefaultsApiResponse = /** status 200 Successful Response */ ModelDefaults;
export type CoreGetModelDefaultsApiArg = void;
export type CoreGetAllResourceGroupsApiResponse = /** status 200 Successful Response */ ResourceGroupsData;
export type CoreGetAllResourceGroupsApiArg = void;
export type CoreChangeResourceGroupsApiResponse = /** status 200 Successful Response */ ResourceGroupsData;
export type CoreChangeResourceGroupsApiArg = {
    resourceGroupsChange: ResourceGroupsChange;
};
export type CoreMigrateServicesApiResponse = /** status 200 Successful Response */ string;
export type CoreMigrateServicesApiArg = {
    /** a group of the platform, or account/name */
    sourceGroup: string;
    targetGroup?: string | null;
    /** for whole names of groups */
    targetGroupRegex?: string | null;
    /** how many accounts move at most */
    accountsLimit?: number | null;
    /** only say what would move */
    dryRun?: boolean;
};
export type CoreGetResourceGroupLogsApiResponse = /** status 200 Successful Response */ StatLogData[];
export type CoreGetResourceGroupLogsApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetResourceGroupLogsPageApiResponse = /** status 200 Successful Response */ PageStatLogData;
export type CoreGetResourceGroupLogsPageApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    /** how far back; ten years at most */
    minutes: number;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetResourceGroupCapacityLogsApiResponse = /** status 200 Successful Response */ StatLogData[];
export type CoreGetResourceGroupCapacityLogsApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    serverName?: string | null;
};
export type CoreGetResourceGroupCapacityLogsPageApiResponse = /** status 200 Successful Response */ PageStatLogData;
export type CoreGetResourceGroupCapacityLogsPageApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    /** how far back; ten years at most */
    minutes: number;
    serverName?: string | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetOwnedResourceGroupsShortStatusApiResponse =
    /** status 200 Successful Response */ ResourceGroupShortStatusData[];
export type CoreGetOwnedResourceGroupsShortStatusApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetResourceGroupCapacityApiResponse = /** status 200 Successful Response */ ResourceGroupCapacity;
export type CoreGetResourceGroupCapacityApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetResourceGroupActiveServicesApiResponse =
    /** status 200 Successful Response */ ResourceGroupServicesShortData;
export type CoreGetResourceGroupActiveServicesApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetResourceGroupAllServicesApiResponse =
    /** status 200 Successful Response */ ResourceGroupServicesData;
export type CoreGetResourceGroupAllServicesApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetResourceGroupServicesApiResponse = /** status 200 Successful Response */ string[];
export type CoreGetResourceGroupServicesApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    /** Unix time in milliseconds; default: now */
    time?: number | null;
};
export type CoreGetResourceGroupServicesInfoApiResponse = /** status 200 Successful Response */ ServiceInfoAtTime[];
export type CoreGetResourceGroupServicesInfoApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    /** Unix time in milliseconds; default: now */
    time?: number | null;
};
export type CorePreviewPlacementApiResponse = /** status 200 Successful Response */ PlacementPreviewData;
export type CorePreviewPlacementApiArg = {
    /** account id, or short name */
    account: string;
    placementPreviewRequest: PlacementPreviewRequest;
};
export type CoreGetLimitUseApiResponse = /** status 200 Successful Response */ LimitUseData[];
export type CoreGetLimitUseApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetLicenseApiResponse = /** status 200 Successful Response */ LicenseOverviewData;
export type CoreGetLicenseApiArg = void;
export type CoreGetAccountMetricApiResponse = /** status 200 Successful Response */ {
    [key: string]: number;
};
export type CoreGetAccountMetricApiArg = {
    /** account id, or short name */
    account: string;
    metrics: AccountMetric[];
};
export type CoreGetAccountMetricRangeApiResponse = /** status 200 Successful Response */ {
    [key: string]: Measurement[];
};
export type CoreGetAccountMetricRangeApiArg = {
    /** account id, or short name */
    account: string;
    metrics: AccountMetric[];
    minutes: number;
    stepSeconds?: number;
};
export type CoreGetEarliestTimestampOfAccountMetricApiResponse = /** status 200 Successful Response */ number | null;
export type CoreGetEarliestTimestampOfAccountMetricApiArg = {
    /** account id, or short name */
    account: string;
    metric: AccountMetric;
};
export type CoreGetModelMetricApiResponse = /** status 200 Successful Response */ {
    [key: string]: number;
};
export type CoreGetModelMetricApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    metrics: ModelMetric[];
    /** Unix time in milliseconds; default: now */
    time?: number | null;
};
export type CoreGetModelMetricRangeApiResponse = /** status 200 Successful Response */ {
    [key: string]: Measurement[];
};
export type CoreGetModelMetricRangeApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    metrics: ModelMetric[];
    minutes: number;
    stepSeconds?: number;
};
export type CoreGetEarliestTimestampOfModelMetricApiResponse = /** status 200 Successful Response */ number | null;
export type CoreGetEarliestTimestampOfModelMetricApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    metric: ModelMetric;
};
export type CoreGetInstanceMetricApiResponse = /** status 200 Successful Response */ {
    [key: string]: number;
};
export type CoreGetInstanceMetricApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
    metrics: InstanceMetric[];
};
export type CoreGetInstanceMetricRangeApiResponse = /** status 200 Successful Response */ {
    [key: string]: Measurement[];
};
export type CoreGetInstanceMetricRangeApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
    metrics: InstanceMetric[];
    minutes: number;
    stepSeconds?: number;
};
export type CoreGetEarliestTimestampOfInstanceMetricApiResponse = /** status 200 Successful Response */ number | null;
export type CoreGetEarliestTimestampOfInstanceMetricApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
    metric: InstanceMetric;
};
export type CoreGetResourceGroupMetricApiResponse = /** status 200 Successful Response */ {
    [key: string]: number;
};
export type CoreGetResourceGroupMetricApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    metrics: NodeMetric[];
    /** Unix time in milliseconds; default: now */
    time?: number | null;
    /** one server of the group */
    nodeName?: string | null;
};
export type CoreGetResourceMetricRangeApiResponse = /** status 200 Successful Response */ {
    [key: string]: Measurement[];
};
export type CoreGetResourceMetricRangeApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    metrics: NodeMetric[];
    minutes: number;
    stepSeconds?: number;
    /** one server of the group */
    nodeName?: string | null;
};
export type CoreGetEarliestTimestampOfResourceGroupMetricApiResponse =
    /** status 200 Successful Response */ number | null;
export type CoreGetEarliestTimestampOfResourceGroupMetricApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    metric: NodeMetric;
    /** one server of the group */
    nodeName?: string | null;
};
export type CoreGetModelsMetricApiResponse = /** status 200 Successful Response */ {
    [key: string]: {
        [key: string]: number;
    };
};
export type CoreGetModelsMetricApiArg = {
    /** account id, or short name */
    account: string;
    metrics: ModelMetric[];
    models: string[];
    /** Unix time in milliseconds; default: now */
    time?: number | null;
};
export type CoreGetModelsMetricsByIdApiResponse = /** status 200 Successful Response */ {
    [key: string]: {
        [key: string]: number;
    };
};
export type CoreGetModelsMetricsByIdApiArg = {
    /** account id, or short name */
    account: string;
    metrics: ModelMetric[];
    modelsIdes: number[];
    /** Unix time in milliseconds; default: now */
    time?: number | null;
};
export type CoreGetMetricsApiResponse = /** status 200 Successful Response */ OverallMetricsData;
export type CoreGetMetricsApiArg = {
    /** the account of the services */
    account?: string | null;
    /** first day (UTC); default: 30 days ago */
    startDate?: string | null;
    /** last day (UTC); default: today */
    endDate?: string | null;
    /** older name of startDate */
    fromDate?: string | null;
    type?: RequestType | null;
};
export type CoreGetModelMetricsApiResponse = /** status 200 Successful Response */ ModelMetricsData;
export type CoreGetModelMetricsApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
    /** first day (UTC); default: 30 days ago */
    startDate?: string | null;
    /** last day (UTC); default: today */
    endDate?: string | null;
    type?: RequestType | null;
};
export type CoreSaveMetricsApiResponse = unknown;
export type CoreSaveMetricsApiArg = {
    body: RequestMetricsData[];
};
export type CoreGetScalingStateApiResponse = /** status 200 Successful Response */ ScalingStateData;
export type CoreGetScalingStateApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetScalingDecisionsApiResponse = /** status 200 Successful Response */ ScalingDecisionData[];
export type CoreGetScalingDecisionsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    /** only decisions with smaller ids */
    before?: number | null;
    /** only those of the last minutes */
    minutes?: number | null;
    limit?: number;
};
export type CoreDryRunScalingApiResponse = /** status 200 Successful Response */ DryRunData;
export type CoreDryRunScalingApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    /** of the recorded load */
    hours?: number;
    modelAutoScalingConfiguration: ModelAutoScalingConfiguration;
};
export type CoreGetModelGroupTypeApiResponse = /** status 200 Successful Response */ GroupType;
export type CoreGetModelGroupTypeApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreGetResourceGroupsForAccountApiResponse = /** status 200 Successful Response */ ResourceGroupData[];
export type CoreGetResourceGroupsForAccountApiArg = void;
export type CoreGetResourceGroupTypesApiResponse = /** status 200 Successful Response */ GroupType[];
export type CoreGetResourceGroupTypesApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetOwnedResourceGroupsApiResponse = /** status 200 Successful Response */ ResourceGroupEssentialData[];
export type CoreGetOwnedResourceGroupsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreGetDeployableResourceGroupsApiResponse =
    /** status 200 Successful Response */ ResourceGroupEssentialData[];
export type CoreGetDeployableResourceGroupsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreCreateResourceGroupApiResponse = /** status 200 Successful Response */ ResourceGroupEssentialData;
export type CoreCreateResourceGroupApiArg = {
    /** account id, or short name */
    account: string;
    createResourceGroupData: CreateResourceGroupData;
};
export type CoreGetResourceGroupApiResponse = /** status 200 Successful Response */ ResourceGroupEssentialData;
export type CoreGetResourceGroupApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreUpdateResourceGroupApiResponse = unknown;
export type CoreUpdateResourceGroupApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    updateResourceGroupData: UpdateResourceGroupData;
};
export type CoreDeleteResourceGroupApiResponse = unknown;
export type CoreDeleteResourceGroupApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetTemplatesApiResponse = /** status 200 Successful Response */ ServerTemplateData[];
export type CoreGetTemplatesApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetOwnTemplatesApiResponse = /** status 200 Successful Response */ ServerTemplateData[];
export type CoreGetOwnTemplatesApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreAddServerTemplateApiResponse = /** status 200 Successful Response */ ServerTemplateData;
export type CoreAddServerTemplateApiArg = {
    /** account id, or short name */
    account: string;
    createUpdateServerTemplateData: CreateUpdateServerTemplateData;
};
export type CoreGetPublicTemplatesApiResponse = /** status 200 Successful Response */ ServerTemplateData[];
export type CoreGetPublicTemplatesApiArg = {
    /** account id, or short name */
    account: string;
    groupType?: TemplateType | null;
};
export type CoreUpdateServerTemplateApiResponse = /** status 200 Successful Response */ ServerTemplateData;
export type CoreUpdateServerTemplateApiArg = {
    templateId: number;
    /** account id, or short name */
    account: string;
    createUpdateServerTemplateData: CreateUpdateServerTemplateData;
};
export type CoreDeleteServerTemplateApiResponse = unknown;
export type CoreDeleteServerTemplateApiArg = {
    templateId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetServerTemplateAvailabilityApiResponse =
    /** status 200 Successful Response */ ServerTemplateAvailability;
export type CoreGetServerTemplateAvailabilityApiArg = {
    templateId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetModelTemplatesApiResponse = /** status 200 Successful Response */ ServerTemplateData[];
export type CoreGetModelTemplatesApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    /** instances on one server */
    count?: number;
};
export type CoreCreateServerApiResponse = /** status 200 Successful Response */ CreatedServerData;
export type CoreCreateServerApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
    createResourceGroupServer: CreateResourceGroupServer;
};
export type CoreGetServersApiResponse = /** status 200 Successful Response */ ResourceGroupServerData[];
export type CoreGetServersApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetServersStatusApiResponse = /** status 200 Successful Response */ ResourceGroupServerDataWithStatus[];
export type CoreGetServersStatusApiArg = {
    groupName: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetServerApiResponse = /** status 200 Successful Response */ ResourceGroupServerData;
export type CoreGetServerApiArg = {
    groupName: string;
    serverId: number;
    /** account id, or short name */
    account: string;
};
export type CoreDeleteServerApiResponse = unknown;
export type CoreDeleteServerApiArg = {
    groupName: string;
    serverId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetServerStatusApiResponse = /** status 200 Successful Response */ ResourceGroupServerDataWithStatus;
export type CoreGetServerStatusApiArg = {
    groupName: string;
    serverId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetExternalConnectionsApiResponse = /** status 200 Successful Response */ ExternalConnectionInfoData[];
export type CoreGetExternalConnectionsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreCreateExternalConnectionApiResponse = /** status 200 Successful Response */ ExternalConnectionInfoData;
export type CoreCreateExternalConnectionApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    httpHost?: string | null;
    httpPort?: number | null;
};
export type CoreCreateExternalApplicationConnectionApiResponse =
    /** status 200 Successful Response */ ExternalConnectionInfoData;
export type CoreCreateExternalApplicationConnectionApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreDeleteExternalConnectionApiResponse =
    /** status 200 Successful Response */ ExternalConnectionInfoData[];
export type CoreDeleteExternalConnectionApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstancesApiResponse = /** status 200 Successful Response */ ModelInstanceListData;
export type CoreGetInstancesApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstancesStatusApiResponse = /** status 200 Successful Response */ InstancesStatusData;
export type CoreGetInstancesStatusApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreSetInstancesCountApiResponse = unknown;
export type CoreSetInstancesCountApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    body: number;
};
export type CoreStartSingleInstanceApiResponse = unknown;
export type CoreStartSingleInstanceApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
    causeAccountId?: number | null;
};
export type CoreStartInstanceApiResponse = unknown;
export type CoreStartInstanceApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreRollingUpdateApiResponse = unknown;
export type CoreRollingUpdateApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreLastJobApiResponse = /** status 200 Successful Response */ JobStatusData;
export type CoreLastJobApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreStopInstanceApiResponse = unknown;
export type CoreStopInstanceApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreTerminateInstanceApiResponse = unknown;
export type CoreTerminateInstanceApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstanceLastStateApiResponse = /** status 200 Successful Response */ InstanceLastState;
export type CoreGetInstanceLastStateApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstanceTimingApiResponse = /** status 200 Successful Response */ ModelStartTimeData;
export type CoreGetInstanceTimingApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstanceEnvironmentApiResponse = /** status 200 Successful Response */ InstanceEnvironmentData;
export type CoreGetInstanceEnvironmentApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstanceEventsApiResponse = /** status 200 Successful Response */ InstanceEventData;
export type CoreGetInstanceEventsApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
};
export type CoreGetInstanceLogsApiResponse = /** status 200 Successful Response */ string;
export type CoreGetInstanceLogsApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
    previousContainer?: boolean;
};
export type CoreGetInstanceLogTailApiResponse = /** status 200 Successful Response */ InstanceLogTailData;
export type CoreGetInstanceLogTailApiArg = {
    /** model id, or name */
    model: string;
    instanceId: number;
    /** account id, or short name */
    account: string;
    previousContainer?: boolean;
    /** `run` of the last answer */
    run?: string | null;
    /** `end` of the last answer */
    since?: number;
};
export type CoreGetModelStatusApiResponse = /** status 200 Successful Response */ ModelShortStatusData;
export type CoreGetModelStatusApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
};
export type CoreGetModelLogsApiResponse = /** status 200 Successful Response */ StatLogData[];
export type CoreGetModelLogsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type CoreRollingUpdateAllInstancesApiResponse = /** status 200 Successful Response */ string;
export type CoreRollingUpdateAllInstancesApiArg = {
    onlyK8S?: boolean;
};
export type CoreUpdateInstanceMetadataApiResponse = unknown;
export type CoreUpdateInstanceMetadataApiArg = {
    account: number;
    model: number;
    instanceId: number;
    instanceMetadata: InstanceMetadata;
};
export type CoreListJobsApiResponse = /** status 200 Successful Response */ JobStatusDataV2[];
export type CoreListJobsApiArg = {
    account?: number | null;
    model?: number | null;
    instanceId?: number | null;
    groupName?: string | null;
    serverId?: number | null;
    excludeStatus?: JobStatus | null;
};
export type CoreListAccountJobsApiResponse = /** status 200 Successful Response */ JobStatusDataV2[];
export type CoreListAccountJobsApiArg = {
    account?: number | null;
    model?: number | null;
    instanceId?: number | null;
    groupName?: string | null;
    serverId?: number | null;
    excludeStatus?: JobStatus | null;
};
export type CoreListSelectedAccountJobsApiResponse = /** status 200 Successful Response */ JobStatusDataV2[];
export type CoreListSelectedAccountJobsApiArg = void;
export type CoreShortTasksViewApiResponse = /** status 200 Successful Response */ ShortJobView[];
export type CoreShortTasksViewApiArg = void;
export type CoreMarkTasksReadApiResponse = unknown;
export type CoreMarkTasksReadApiArg = {
    jobId?: number[];
};
export type CoreStopJobApiResponse = unknown;
export type CoreStopJobApiArg = {
    taskId: number;
};
export type CoreGetNotificationsApiResponse = /** status 200 Successful Response */ NotificationData[];
export type CoreGetNotificationsApiArg = {
    /** account id, or short name */
    account: string;
    limit?: number;
};
export type CoreMarkNotificationsReadApiResponse = unknown;
export type CoreMarkNotificationsReadApiArg = {
    /** account id, or short name */
    account: string;
    notificationReadRequest: NotificationReadRequest;
};
export type CoreGetNotificationSettingsApiResponse = /** status 200 Successful Response */ NotificationSettingsData;
export type CoreGetNotificationSettingsApiArg = {
    /** account id, or short name */
    account: string;
};
export type CoreUpdateNotificationSettingsApiResponse = /** status 200 Successful Response */ NotificationSettingsData;
export type CoreUpdateNotificationSettingsApiArg = {
    /** account id, or short name */
    account: string;
    notificationSettingsRequest: NotificationSettingsRequest;
};
export type CoreBroadcastNotificationApiResponse = unknown;
export type CoreBroadcastNotificationApiArg = {
    broadcastNotificationRequest: BroadcastNotificationRequest;
};
export type CoreGetAccountClicksApiResponse = /** status 200 Successful Response */ ClickHistoryData[];
export type CoreGetAccountClicksApiArg = {
    /** account id, or short name */
    account: string;
    startDate?: string | null;
    endDate?: string | null;
};
export type CoreGetModelClicksApiResponse = /** status 200 Successful Response */ ClickHistoryData[];
export type CoreGetModelClicksApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    startDate?: string | null;
    endDate?: string | null;
};
export type CoreRequestFeatureApiResponse = unknown;
export type CoreRequestFeatureApiArg = {
    featureName: string;
    /** account id, or short name */
    account: string;
    managementRequestData: ManagementRequestData;
};
export type CoreSendContactRequestApiResponse = unknown;
export type CoreSendContactRequestApiArg = {
    contactRequestData: ContactRequestData;
};
export type CoreGetTeamRequestsApiResponse = /** status 200 Successful Response */ PagedTeamRequests;
export type CoreGetTeamRequestsApiArg = {
    state?: TeamRequestState | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type CoreGetTeamRequestApiResponse = /** status 200 Successful Response */ TeamRequestData;
export type CoreGetTeamRequestApiArg = {
    requestId: number;
};
export type CoreUpdateTeamRequestApiResponse = /** status 200 Successful Response */ TeamRequestData;
export type CoreUpdateTeamRequestApiArg = {
    requestId: number;
    teamRequestUpdate: TeamRequestUpdate;
};
export type AccountLimitsData = {
    baseModelInstanceLimit: number;
    derivedModelInstanceLimit: number;
    gpuModelInstanceLimit: number;
    cpuLimit: string;
    memoryLimit: string;
    ephemeralDiskLimit: string;
    predictPerSec: number;
    fitPerMinute: number;
    storageLimit?: string;
};
export type AccountInfoData = {
    accountId: number;
    shortName: string;
    limits: AccountLimitsData;
    language: string;
    tags: {
        [key: string]: string;
    };
    displayName: string;
    lastActivity: number | null;
    email: string;
    timeZone: string;
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
export type AccountUpdateData = {
    accountId: number;
    shortName: string;
    limits?: AccountLimitsData | null;
    language?: ("RU" | "EN") | null;
    tags?: {
        [key: string]: string;
    } | null;
    displayName?: string | null;
    lastActivity?: number | null;
    email?: string | null;
    timeZone?: string | null;
};
export type Feature =
    | "mlp.model_admin"
    | "mlp.public_model_admin"
    | "mlp_billing.no_blocking"
    | "mlp.shared_pool_admin"
    | "mlp.test_form"
    | "mlp.container_additional_flags";
export type FeatureData = {
    name: Feature;
    enabled: boolean;
};
export type AccountFeatureData = {
    features: FeatureData[];
};
export type AccountFeatureUpdate = {
    features: FeatureData[];
    reason?: string | null;
};
export type AccountLimitsUpdate = {
    baseModelInstanceLimit: number;
    derivedModelInstanceLimit: number;
    gpuModelInstanceLimit: number;
    cpuLimit: string;
    memoryLimit: string;
    ephemeralDiskLimit: string;
    predictPerSec: number;
    fitPerMinute: number;
    storageLimit?: string;
    reason?: string | null;
};
export type Pagination = {
    totalElements: number;
    totalPages: number;
    pageNumber: number;
    pageSize: number;
};
export type AccountChangeKind = "LIMITS_CHANGED" | "FEATURES_CHANGED" | "NETWORKS_CHANGED";
export type ValueChange = {
    before: boolean | number | string;
    after: boolean | number | string;
};
export type AccountChangeData = {
    id: number;
    occurredAt: string;
    actorUserId: number | null;
    actorLogin: string | null;
    kind: AccountChangeKind;
    details: {
        [key: string]: ValueChange;
    };
    reason: string | null;
};
export type PagedAccountChanges = {
    paging: Pagination;
    records: AccountChangeData[];
};
export type AccessByIp = {
    allowed: boolean;
};
export type KeyPermission = "predict" | "read" | "write";
export type ModelInfoPk = {
    accountId: number;
    modelId: number;
};
export type LimitPeriod = "SECOND" | "MINUTE" | "HOUR" | "DAY" | "MONTH" | "YEAR";
export type Currency = "RUBLE" | "TOKEN";
export type SpendingLimit = {
    amount: number | string;
    currency: Currency;
    period: "MINUTE" | "HOUR" | "DAY" | "MONTH";
    availableImmediately?: boolean;
};
export type AccessTokenData = {
    token: string;
    name: string;
    creationDate: string;
    expiresAt: string | null;
    permissions: KeyPermission[];
    allowedServices: ModelInfoPk[] | null;
    allowedLlms: string[] | null;
    temporary: boolean;
    maxLifetime: number | null;
    maxLifetimePeriod: LimitPeriod | null;
    requestLimit: number | null;
    requestLimitPeriod: LimitPeriod | null;
    maxRequestSize: number | null;
    maxRequestSizeUnit: string | null;
    spendingLimits: SpendingLimit[] | null;
    expenseLimit: number | string | null;
    maxPricePerCall: number | string | null;
    notificationEmails: string[] | null;
    allowedOrigins: string[];
};
export type AccessTokenCreateUpdateData = {
    allowedLlms?: string[] | null;
    temporary?: boolean | null;
    maxLifetime?: number | null;
    maxLifetimePeriod?: LimitPeriod | null;
    requestLimit?: number | null;
    requestLimitPeriod?: LimitPeriod | null;
    maxRequestSize?: number | null;
    maxRequestSizeUnit?: ("BYTES" | "CHARACTERS") | null;
    spendingLimits?: SpendingLimit[] | null;
    expenseLimit?: number | string | null;
    maxPricePerCall?: number | string | null;
    notificationEmails?: string[] | null;
    name?: string | null;
    permissions?: KeyPermission[] | null;
    allowedServices?: ModelInfoPk[] | null;
    allowedOrigins?: string[] | null;
};
export type CallerInfo = {
    accountId: number | null;
    userId: string | null;
    tokenName: string | null;
    permissions: string[];
};
export type ApplicationAccessData = {
    accountId: number;
};
export type ApplicationHealthData = {
    alive: boolean;
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
export type ImageData = {
    id?: ImageInfoPk | null;
    name: string;
    imageAccountName?: string | null;
    image: string;
    accessMode?: "private" | "public" | "restricted";
};
export type PagedImageInfoData = {
    paging: Pagination;
    records: ImageInfoData[];
};
export type Belonging = "ALL" | "MINE" | "MINE_PUBLIC" | "MINE_RESTRICTED" | "MINE_PRIVATE" | "NOT_MINE";
export type StatLogData = {
    accountId: number;
    recordId: number;
    userId: number | null;
    node: string | null;
    imageId: number | null;
    modelId: number | null;
    jobId: number | null;
    resourceGroup: string | null;
    timestamp: string;
    level: string;
    code: string;
    args: {
        [key: string]: any;
    };
    message: string;
};
export type DataImageInfoData = {
    id: ImageInfoPk;
    name: string;
    imageAccountName: string | null;
    image: string;
    accessMode: "private" | "public" | "restricted";
    sourcePath: string;
};
export type DataImageData = {
    id?: ImageInfoPk | null;
    name: string;
    imageAccountName?: string | null;
    image: string;
    accessMode?: "private" | "public" | "restricted";
    sourcePath: string;
};
export type PagedDataImageInfoData = {
    paging: Pagination;
    records: DataImageInfoData[];
};
export type S3CredentialsData = {
    s3Url: string;
    accessKey: string;
    secretKey: string;
    bucketName: string;
};
export type S3StorageData = {
    limitBytes: number;
    usedBytes: number;
    bucketBytes: number;
    datasetBytes: number;
    objects: number;
    objectLimitBytes: number;
};
export type S3FolderData = {
    name: string;
    prefix: string;
};
export type S3ObjectData = {
    key: string;
    name: string;
    size: number;
    modified: string;
    etag: string;
    contentType: string;
};
export type S3ObjectListData = {
    bucketName: string | null;
    prefix: string;
    folders: S3FolderData[];
    objects: S3ObjectData[];
    next: string | null;
};
export type S3DeletedData = {
    deleted: number;
    more: boolean;
};
export type S3DeleteData = {
    keys?: string[];
    prefixes?: string[];
};
export type EmptyUsersResponse = {
    empty: string[];
    withContent: string[];
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
export type DeprecatedDatasetInfoWithContentData = {
    name: string;
    description?: string | null;
    dataType?: string | null;
    content?: string | null;
};
export type DatasetStorageData = {
    limitBytes: number;
    usedBytes: number;
    datasets: number;
    datasetLimitBytes: number;
};
export type CreateOrUpdateDatasetInfoData = {
    id?: DatasetPk | null;
    name: string;
    description?: string | null;
    dataType?: string | null;
    accessMode?: ("private" | "public" | "restricted") | null;
};
export type DatasetRowsData = {
    version: number;
    columns: string[];
    first: number;
    total: number;
    rows: string[][];
};
export type RowChangeData = {
    row: number;
    values: string[] | null;
};
export type DatasetRowsChangeData = {
    version: number;
    changes?: RowChangeData[];
    added?: string[][];
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
export type ModelCreateUpdateData = {
    modelName: string;
    imageAccountId?: number | null;
    imageId?: number | null;
    trainingModelAccountId?: number | null;
    trainingModelId?: number | null;
    trainingType?: ("singleContainer" | "multipleFit") | null;
    trainingDatasetAccountId?: number | null;
    trainingDatasetId?: number | null;
    trainingFitConfigId?: number | null;
    taskType?:
        | (
              | "text2vec"
              | "text-classification"
              | "ner"
              | "text-processing"
              | "chat-completion"
              | "asr"
              | "tts"
              | "chat"
              | "image-generation"
              | "custom"
              | "file_base64"
              | "mcp_server"
          )
        | null;
    trainingDatasetType?: string | null;
    fitTemplateModelId?: number | null;
    composite?: boolean | null;
    prototype?: boolean | null;
    rejectRequestsIfInactive?: boolean | null;
    config?: string | null;
    env?: string | null;
    secretEnv?: {
        [key: string]: string;
    } | null;
    additionalFlags?: string[] | null;
    fittable?: boolean | null;
    hostingType?: HostingType | null;
    persistentVolumes?: PersistentVolumeData[] | null;
    dataImageMounts?: DataImageMountData[] | null;
    resourceGroup?: string | null;
    timeouts?: ModelTimeoutsData | null;
    resourceLimits?: ModelLimitsData | null;
    retriesConfig?: ModelRetriesData | null;
    batchesConfig?: ModelBatchesData | null;
    caching?: ModelCachingData | null;
    priorityQueue?: ModelPriorityQueueData | null;
    autoScalingConfiguration?: ModelAutoScalingConfiguration | null;
    shortDescription?: string | null;
    languages?: string[] | null;
    minInstancesCount?: number | null;
    startTimeSec?: number | null;
    httpSettings?: ModelHttpSettingsData | null;
    archiveSettings?: ModelArchiveSettingsData | null;
    aliases?: string[] | null;
    displayName?: string | null;
    displayAuthor?: string | null;
    modelLink?: string | null;
    modelAuthorCompany?: string | null;
    supportedTemplates?: number[] | null;
    deploymentPatch?: string | null;
    waitStart?: boolean | null;
    modelType?: ("MLP" | "WEB_APPLICATION" | "MCP_SERVER") | null;
    protocols?: string[] | null;
};
export type ModelCounts = {
    createdByMe: number;
    favorites: number;
    fitted: number;
};
export type ModelStringId = {
    account: string;
    model: string;
};
export type ModelListRequest = {
    ids: ModelStringId[];
};
export type ModelNameAvailability = {
    available: boolean;
    reason: string | null;
};
export type ModelRecentCallsData = {
    modelId: number;
    calls: number;
    failedCalls: number;
    amount: number;
    callsPerHour: number[];
};
export type CallPointData = {
    timestamp: number;
    calls: number;
    failedCalls: number;
    medianLatencyMs: number | null;
    p95LatencyMs: number | null;
    amount: number;
};
export type CallSeriesData = {
    stepSec: number;
    points: CallPointData[];
    total: CallPointData;
};
export type StepName = "MINUTE" | "HOUR";
export type SchemaFileData = {
    name: string;
    content: string;
};
export type ParamTypeData = {
    type: string;
};
export type MethodDescriptorData = {
    name: string;
    params: {
        [key: string]: ParamTypeData;
    };
    output: ParamTypeData;
    fitted?: boolean;
};
export type ServiceDescriptorData = {
    name: string;
    schemaFiles: SchemaFileData[];
    fittable: boolean;
    methods: {
        [key: string]: MethodDescriptorData;
    };
};
export type VersionKind =
    | "CREATED"
    | "CLONED"
    | "SETTINGS_CHANGED"
    | "PUBLICATION_CHANGED"
    | "PRICE_CHANGED"
    | "RESTORED"
    | "MOVED"
    | "UNRECORDED";
export type FieldChange = {
    field: string;
    hidden: boolean;
    before: boolean | number | number | string | null;
    after: boolean | number | number | string | null;
    beforeLength: number | null;
    afterLength: number | null;
};
export type ModelVersionData = {
    version: number;
    occurredAt: string;
    userId: number | null;
    author: string | null;
    kind: VersionKind;
    restoredVersion: number | null;
    changes: FieldChange[];
};
export type PagedModelVersions = {
    paging: Pagination;
    records: ModelVersionData[];
};
export type ModelVersionDetails = {
    version: number;
    occurredAt: string;
    userId: number | null;
    author: string | null;
    kind: VersionKind;
    restoredVersion: number | null;
    changes: FieldChange[];
    restoring: FieldChange[];
};
export type LastActivityPk = {
    accountId: number;
    modelId: number;
};
export type ModelGroupPk = {
    accountId: number;
    groupId: number;
};
export type ModelGroupData = {
    id?: ModelGroupPk | null;
    name: string;
};
export type ExamplePk = {
    accountId: number;
    modelId: number;
    exampleId: number;
};
export type ExampleData = {
    id: ExamplePk;
    position: number;
    name: string;
    request: string;
    answer: string | null;
};
export type ExampleCreateData = {
    name: string;
    request: string;
    answer?: string | null;
    position?: number | null;
};
export type ExampleUpdateData = {
    name?: string | null;
    request?: string | null;
    answer?: string | null;
    position?: number | null;
};
export type PredictConfigPk = {
    accountId: number;
    modelId: number;
    configId: number;
};
export type PredictConfigData = {
    id: PredictConfigPk;
    name: string;
    isDefault: boolean;
    config: string;
};
export type ConfigCreateUpdateData = {
    name?: string | null;
    isDefault?: boolean | null;
    config: string;
};
export type RegistryCredentialData = {
    credentialId: number;
    host: string;
    username: string;
    version: number;
    createdAt: string;
    createdBy: string;
    updatedAt: string;
    updatedBy: string;
};
export type RegistryCredentialCreateData = {
    host: string;
    username: string;
};
export type RegistryCredentialCreateDataWrite = {
    host: string;
    username: string;
    password: string;
};
export type RegistryCredentialReplaceData = {
    username: string;
};
export type RegistryCredentialReplaceDataWrite = {
    username: string;
    password: string;
};
export type SecretUseData = {
    modelId: number;
    modelName: string;
    variables: string[];
};
export type SecretData = {
    secretId: number;
    name: string;
    modelId: number | null;
    modelName: string | null;
    version: number;
    createdAt: string;
    createdBy: string;
    updatedAt: string;
    updatedBy: string;
    usedBy: SecretUseData[];
};
export type SecretCreateData = {
    name: string;
    modelId?: number | null;
};
export type SecretCreateDataWrite = {
    name: string;
    value: string;
    modelId?: number | null;
};
export type SecretReplaceData = {};
export type SecretReplaceDataWrite = {
    value: string;
};
export type CaptchaData = {
    enabled: boolean;
    siteKey: string;
};
export type ModelDefaults = {
    timeouts: ModelTimeoutsData;
    retries: ModelRetriesData;
    batches: ModelBatchesData;
    limits: ModelLimitsData;
    resourceGroup: string;
};
export type GroupAccess = "PRIVATE" | "PUBLIC" | "SHARED_POOL";
export type GroupType = "DOCKER" | "KUBERNETES" | "HOSTING_SERVER" | "SHARED_RESOURCE_QUOTA";
export type ResourceGroupAutoScalingConfiguration = {
    serverId?: number | null;
    serverConfiguration?: string | null;
    fallbackServersIds?: number[] | null;
    minServersCount: number;
    maxServersCount?: number | null;
    cooldownPeriodMinutes?: number | null;
    reserveResourceGroupName?: string | null;
    maxDowntimeMinutes?: number | null;
    serversPool?: number[] | null;
};
export type RentalConstraints = {
    minCudaVersion?: string | null;
    minDurationMinutes?: number | null;
    minReliabilityPercent?: number | null;
    minVramGb?: number | null;
    possibleGpus?: string[] | null;
    maxPricePerHour?: number | null;
};
export type TariffPeriod = "SECOND" | "MINUTE" | "HOUR" | "DAY" | "MONTH" | "YEAR";
export type JsonValue = any;
export type ResourceGroupData = {
    name: string;
    ownerId: number;
    isDefault: boolean;
    access: GroupAccess;
    enabledEviction: boolean;
    resourceGroupType: GroupType;
    enabledAutoScaling: boolean;
    autoScalingConfiguration: ResourceGroupAutoScalingConfiguration | null;
    deploymentName: string | null;
    isShared: boolean | null;
    rentalConstraints: RentalConstraints | null;
    costPrice: number | null;
    price: number | null;
    payback: number | null;
    tarifficationPeriod: TariffPeriod | null;
    currency: Currency | null;
    accountId: number;
    accountName: string | null;
    tolerations: {
        [key: string]: JsonValue;
    };
    affinity: {
        [key: string]: JsonValue;
    };
};
export type ResourceGroupsData = {
    groups: ResourceGroupData[];
};
export type ResourceGroupChange = {
    deploymentName?: string | null;
    isShared?: boolean | null;
    rentalConstraints?: RentalConstraints | null;
    costPrice?: number | string | null;
    price?: number | string | null;
    payback?: number | string | null;
    tarifficationPeriod?: TariffPeriod | null;
    currency?: Currency | null;
    name: string;
    accountId?: number | null;
    ownerId?: number | null;
    accountName?: string | null;
    resourceGroupType?: GroupType | null;
    isDefault?: boolean | null;
    enabledEviction?: boolean | null;
    enabledAutoScaling?: boolean | null;
    access?: GroupAccess | null;
    autoScalingConfiguration?: ResourceGroupAutoScalingConfiguration | null;
    tolerations?: {
        [key: string]: JsonValue;
    } | null;
    affinity?: {
        [key: string]: JsonValue;
    } | null;
};
export type ResourceGroupsChange = {
    groups: ResourceGroupChange[];
};
export type SortObject = {
    sorted: boolean;
    empty: boolean;
    unsorted: boolean;
};
export type PageableObject = {
    pageNumber: number;
    pageSize: number;
    offset: number;
    sort: SortObject;
    paged: boolean;
    unpaged: boolean;
};
export type PageStatLogData = {
    totalElements: number;
    totalPages: number;
    first: boolean;
    last: boolean;
    empty: boolean;
    size: number;
    number: number;
    numberOfElements: number;
    content: StatLogData[];
    pageable: PageableObject;
    sort: SortObject;
};
export type ResourceGroupShortStatusData = {
    name: string;
    ownerId: number;
    isDefault: boolean;
    access: GroupAccess;
    enabledEviction: boolean;
    resourceGroupType: GroupType;
    enabledAutoScaling: boolean;
    autoScalingConfiguration: ResourceGroupAutoScalingConfiguration | null;
    deploymentName: string | null;
    isShared: boolean | null;
    rentalConstraints: RentalConstraints | null;
    costPrice: number | null;
    price: number | null;
    payback: number | null;
    tarifficationPeriod: TariffPeriod | null;
    currency: Currency | null;
    serversCount: number;
    servicesCount: number;
};
export type AmountsData = {
    milliCpu: number;
    ramMb: number;
    diskMb: number;
    gpu: number;
    vramMb: number;
};
export type MeasuredData = {
    milliCpu: number | null;
    ramMb: number | null;
    diskMb: number | null;
    gpu: number | null;
    vramMb: number | null;
};
export type ServerStatus = "RUNNING" | "STARTING" | "STOPPED" | "UNAVAILABLE" | "DELETING";
export type GpuUseData = {
    gpuId: string;
    model: string;
    vramMb: number;
    allocatedVramMb: number;
    freeVramMb: number;
    usedVramMb: number | null;
    usagePercent: number | null;
};
export type ServerUseData = {
    serverId: number;
    name: string;
    status: ServerStatus;
    instances: number;
    maxInstances: number | null;
    capacity: AmountsData;
    allocated: AmountsData;
    used: MeasuredData;
    free: AmountsData;
    gpus: GpuUseData[];
    runsContainers: boolean;
    programs: string[];
};
export type ResourceGroupCapacity = {
    milliCpu: number;
    ramMb: number;
    diskMb: number;
    gpu: number;
    gpuModels: string[];
    vRamMb: number;
    nodes: string[];
    vramMb: number;
    allocated: AmountsData;
    used: MeasuredData;
    free: AmountsData;
    servers: ServerUseData[];
};
export type ServiceShortData = {
    id: ModelInfoPk;
    name: string;
};
export type ResourceGroupServicesShortData = {
    services: ServiceShortData[];
};
export type ModelState = "RUNNING" | "STARTING" | "SLEEPING" | "REMOVING" | "INACTIVE";
export type ServiceData = {
    id: ModelInfoPk;
    name: string;
    state: ModelState;
    waitsForServer: boolean;
    start: StartData | null;
    active: number;
    requested: number;
};
export type ResourceGroupServicesData = {
    services: ServiceData[];
};
export type ServiceInfoAtTime = {
    modelId: number;
    modelNameAtTime: string;
    actualModelName: string | null;
};
export type PreviewedGroupData = {
    ownerId: number;
    name: string;
};
export type GroupGpuData = {
    model: string;
    vramMb: number;
    count: number;
    free: number;
    freeVramMb: number;
};
export type Lack =
    | "heartbeat"
    | "availability"
    | "lifetime"
    | "image"
    | "labels"
    | "instances"
    | "gpu"
    | "gpuModel"
    | "freeGpu"
    | "vram"
    | "cpu"
    | "memory"
    | "disk";
export type LackData = {
    what: Lack;
    servers: number;
    missing: number;
};
export type ServerRoomData = {
    name: string;
    free: AmountsData;
    lack: LackData | null;
};
export type AccountLimit =
    | "baseModelInstanceLimit"
    | "derivedModelInstanceLimit"
    | "cpuLimit"
    | "memoryLimit"
    | "ephemeralDiskLimit"
    | "gpuModelInstanceLimit";
export type ExceededLimitData = {
    name: AccountLimit;
    allowed: string;
    used: string;
    needed: string;
};
export type PlacementPreviewData = {
    group: PreviewedGroupData | null;
    servers: number;
    fitting: number;
    instances: number;
    free: AmountsData;
    most: AmountsData;
    gpus: GroupGpuData[];
    lacking: LackData[];
    eachServer: ServerRoomData[];
    limit: ExceededLimitData | null;
};
export type PlacementPreviewRequest = {
    resourceGroup?: string | null;
    resourceLimits?: ModelLimitsData;
    startTimeoutSec?: number;
    image?: string | null;
    mountsDataImages?: boolean;
};
export type LimitUseData = {
    limit: AccountLimit;
    allowed: number;
    used: number;
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
export type LicenseUsageData = {
    services: number;
    vllmModels: number;
    cpu: number;
    vramGb: number;
};
export type LicenseOverviewData = {
    required: boolean;
    customer: string | null;
    license: LicenseData | null;
    usage: LicenseUsageData;
    graceDays: number | null;
    hardPercent: number | null;
};
export type AccountMetric =
    | "ACCOUNT_CPU_USAGE"
    | "ACCOUNT_CPU_REQUESTED"
    | "ACCOUNT_CPU_LIMIT"
    | "ACCOUNT_RAM_USAGE"
    | "ACCOUNT_RAM_REQUESTED"
    | "ACCOUNT_RAM_LIMIT"
    | "ACCOUNT_DISK_REQUESTED"
    | "ACCOUNT_DISK_LIMIT"
    | "ACCOUNT_GPU_REQUESTED"
    | "ACCOUNT_GPU_LIMIT"
    | "ACCOUNT_PREDICTS_COUNT_PER_MINUTE_TOTAL"
    | "ACCOUNT_PREDICTS_COUNT_PER_MINUTE_EXCEEDED"
    | "ACCOUNT_FITS_COUNT_PER_MINUTE_TOTAL"
    | "ACCOUNT_FITS_COUNT_PER_MINUTE_EXCEEDED";
export type Measurement = {
    ts: number;
    v: number;
};
export type ModelMetric =
    | "MODEL_CPU_USAGE"
    | "MODEL_CPU_REQUESTED"
    | "MODEL_CPU_LIMIT"
    | "MODEL_RAM_USAGE"
    | "MODEL_RAM_REQUESTED"
    | "MODEL_RAM_LIMIT"
    | "MODEL_RECONNECTS_COUNT"
    | "MODEL_INSTANCES_COUNT"
    | "MODEL_GPU_REQUESTED"
    | "MODEL_EPHEMERAL_DISK_REQUESTED"
    | "MODEL_SUCCESS_REQUESTS_COUNT"
    | "MODEL_FAILED_REQUESTS_COUNT"
    | "MODEL_ACTIVE_REQUESTS_COUNT"
    | "MODEL_AVERAGE_REQUEST_TIME"
    | "MODEL_MIN_REQUEST_TIME"
    | "MODEL_MAX_REQUEST_TIME"
    | "MODEL_INSTANT_REQUEST_TIME"
    | "MODEL_REFUSED_REQUESTS_COUNT"
    | "MODEL_WAITING_REQUESTS_COUNT"
    | "MODEL_CONNECTED_INSTANCES_COUNT"
    | "MODEL_P50_REQUEST_TIME"
    | "MODEL_P95_REQUEST_TIME"
    | "MODEL_P99_REQUEST_TIME"
    | "MODEL_AVERAGE_QUEUE_TIME"
    | "MODEL_MAX_QUEUE_TIME"
    | "MODEL_P95_QUEUE_TIME"
    | "MODEL_DISK_USAGE"
    | "MODEL_GPU_USAGE"
    | "MODEL_VRAM_USAGE";
export type InstanceMetric =
    | "INSTANCE_CPU_USAGE"
    | "INSTANCE_CPU_REQUESTED"
    | "INSTANCE_CPU_LIMIT"
    | "INSTANCE_RAM_USAGE"
    | "INSTANCE_RAM_REQUESTED"
    | "INSTANCE_RAM_LIMIT"
    | "INSTANCE_RECONNECTS_COUNT"
    | "INSTANCE_RESTARTS_COUNT"
    | "INSTANCE_SUCCESS_REQUESTS_COUNT"
    | "INSTANCE_FAILED_REQUESTS_COUNT"
    | "INSTANCE_ACTIVE_REQUESTS_COUNT"
    | "INSTANCE_AVERAGE_REQUEST_TIME"
    | "INSTANCE_DISK_USAGE"
    | "INSTANCE_GPU_USAGE"
    | "INSTANCE_VRAM_USAGE";
export type NodeMetric =
    | "NODE_CPU_USAGE"
    | "NODE_CPU_REQUESTED"
    | "NODE_CPU_CAPACITY"
    | "NODE_CPU_ALLOCATABLE_CAPACITY"
    | "NODE_RAM_USAGE"
    | "NODE_RAM_REQUESTED"
    | "NODE_RAM_CAPACITY"
    | "NODE_RAM_ALLOCATABLE_CAPACITY"
    | "NODE_DISK_USAGE"
    | "NODE_EPHEMERAL_DISK_REQUESTED"
    | "NODE_EPHEMERAL_DISK_CAPACITY"
    | "NODE_EPHEMERAL_DISK_ALLOCATABLE_CAPACITY"
    | "NODE_GPU_PODS_COUNT"
    | "NODE_GPU_PODS_LIMIT"
    | "NODE_GPU_USAGE"
    | "NODE_GPU_LIMIT"
    | "NODE_VRAM_USAGE"
    | "NODE_VRAM_LIMIT";
export type ModelMetricsData = {
    modelId: number;
    totalSuccess: number;
    totalFail: number;
    failPercentage: number;
};
export type OverallMetricsData = {
    totalSuccessCount: number;
    totalFailCount: number;
    totalFailPercentage: number;
    modelMetrics: ModelMetricsData[];
};
export type RequestType = "FIT" | "PREDICT";
export type RequestDetailsData = {
    modelAccountId: number;
    modelId: number;
    callerAccountId: number;
    date: string;
};
export type RequestMetricsData = {
    requestDetailsData: RequestDetailsData;
    requestTypeData: RequestType;
    isSuccess: boolean;
    count: number;
};
export type ScalingStateData = {
    automatic: boolean;
    enabled: boolean;
    requested: number;
    connected: number;
    starting: number;
    minInstances: number;
    maxInstances: number;
    scheduled: boolean;
    windowSeconds: number;
    known: boolean;
    values: {
        [key: string]: number;
    };
    waiting: number;
    unusedSeconds: number | null;
    cooldownUntil: number | null;
    wanted: number;
    reason: string;
    trouble: string | null;
};
export type ScalingKind = "SCALE_UP" | "SCALE_DOWN" | "SLEEP" | "WAKE_UP" | "NEED_SCALE_UP" | "HELD";
export type ScalingDecisionData = {
    id: number;
    decidedAt: number;
    kind: ScalingKind;
    reason: string;
    before: number;
    after: number;
    connected: number;
    minInstances: number;
    maxInstances: number;
    scheduled: boolean;
    values: {
        [key: string]: number;
    };
    waiting: number | null;
    unusedSeconds: number | null;
    wanted: number | null;
    detail: string | null;
    causeAccountId: number | null;
};
export type DryRunSumsData = {
    instanceHours: number | null;
    cost: number | null;
    p95WaitMs: number | null;
    mostInstances: number | null;
};
export type DryRunDecisionData = {
    decidedAt: number;
    kind: ScalingKind;
    reason: string;
    before: number;
    after: number;
};
export type DryRunData = {
    since: number;
    stepSeconds: number;
    knownMinutes: number;
    requestsPerMinute: (number | null)[];
    instances: number[];
    actualInstances: (number | null)[];
    waiting: number[];
    simulated: DryRunSumsData;
    actual: DryRunSumsData;
    decisionCount: number;
    decisions: DryRunDecisionData[];
    startSeconds: number;
    callsAtOnce: number | null;
    priceOfInstanceHour: number | null;
};
export type ResourceGroupEssentialData = {
    name: string;
    ownerId: number;
    isDefault: boolean;
    access: GroupAccess;
    enabledEviction: boolean;
    resourceGroupType: GroupType;
    enabledAutoScaling: boolean;
    autoScalingConfiguration: ResourceGroupAutoScalingConfiguration | null;
    deploymentName: string | null;
    isShared: boolean | null;
    rentalConstraints: RentalConstraints | null;
    costPrice: number | null;
    price: number | null;
    payback: number | null;
    tarifficationPeriod: TariffPeriod | null;
    currency: Currency | null;
};
export type CreateResourceGroupData = {
    deploymentName?: string | null;
    isShared?: boolean | null;
    rentalConstraints?: RentalConstraints | null;
    costPrice?: number | string | null;
    price?: number | string | null;
    payback?: number | string | null;
    tarifficationPeriod?: TariffPeriod | null;
    currency?: Currency | null;
    name: string;
    isDefault?: boolean;
    enabledEviction?: boolean;
    access?: GroupAccess;
    resourceGroupType?: GroupType;
    enabledAutoScaling?: boolean;
    autoScalingConfiguration?: ResourceGroupAutoScalingConfiguration | null;
};
export type UpdateResourceGroupData = {
    deploymentName?: string | null;
    isShared?: boolean | null;
    rentalConstraints?: RentalConstraints | null;
    costPrice?: number | string | null;
    price?: number | string | null;
    payback?: number | string | null;
    tarifficationPeriod?: TariffPeriod | null;
    currency?: Currency | null;
    name?: string | null;
    isDefault?: boolean | null;
    enabledEviction?: boolean | null;
    enabledAutoScaling?: boolean | null;
    access?: GroupAccess | null;
    autoScalingConfiguration?: ResourceGroupAutoScalingConfiguration | null;
};
export type TemplateType = "DOCKER" | "VAST_AI" | "KUBERNETES" | "HOSTING_SERVER" | "SHARED_RESOURCE_QUOTA";
export type ServerCapacityData = {
    cpu: string;
    memory: string;
    disk: string;
    gpuModels: string[];
};
export type ServerTemplateData = {
    id: number;
    ownerId: number;
    name: string;
    type: TemplateType;
    capacity: ServerCapacityData | null;
    description: string;
    rawConfiguration: string;
    tarifficationPrice: number;
    tarifficationPeriod: TariffPeriod | null;
    internalTemplateName: string | null;
    username: string | null;
    costPrice: number | null;
    publicPrice: number | null;
    publicPricePeriod: TariffPeriod | null;
    currency: Currency | null;
};
export type TemplateCapacityInput = {
    cpu: string;
    memory: string;
    disk: string;
    gpuModels?: string[];
};
export type CreateUpdateServerTemplateData = {
    name: string;
    type: TemplateType;
    capacity?: TemplateCapacityInput | null;
    description?: string;
    rawConfiguration: string;
    tarifficationPrice?: number | string;
    tarifficationPeriod?: TariffPeriod | null;
    internalTemplateName?: string | null;
    username?: string | null;
    costPrice?: number | string | null;
    publicPrice?: number | string | null;
    publicPricePeriod?: TariffPeriod | null;
    currency?: Currency | null;
};
export type ServerTemplateAvailability = {
    available: boolean;
    serversCount: number | null;
};
export type CreatedServerData = {
    id: number;
    name: string;
    serverIp: string | null;
    jumpHostIp: string | null;
    description: string | null;
    isAutoCreated: boolean;
    rawConfiguration: string;
    tarifficationPrice: number;
    tarifficationPeriod: TariffPeriod | null;
    templateId: number | null;
    isTemporary: boolean;
    costPrice: number | null;
    currency: Currency | null;
    expiresAt: string | null;
    timeLeftSeconds: number | null;
    templateCapacity: ServerCapacityData | null;
    enrolmentToken: string;
};
export type CreateResourceGroupServer = {
    serverName: string;
    rawConfiguration?: string | null;
    tarifficationPrice?: number | string | null;
    tarifficationPeriod?: TariffPeriod | null;
    maxServerLifetimeMinutes?: number | null;
    templateId?: number | null;
    costPrice?: number | string | null;
    isTemporary?: boolean | null;
};
export type ResourceGroupServerData = {
    id: number;
    name: string;
    serverIp: string | null;
    jumpHostIp: string | null;
    description: string | null;
    isAutoCreated: boolean;
    rawConfiguration: string;
    tarifficationPrice: number;
    tarifficationPeriod: TariffPeriod | null;
    templateId: number | null;
    isTemporary: boolean;
    costPrice: number | null;
    currency: Currency | null;
    expiresAt: string | null;
    timeLeftSeconds: number | null;
    templateCapacity: ServerCapacityData | null;
};
export type ResourceGroupServerDataWithStatus = {
    id: number;
    name: string;
    serverIp: string | null;
    jumpHostIp: string | null;
    description: string | null;
    isAutoCreated: boolean;
    rawConfiguration: string;
    tarifficationPrice: number;
    tarifficationPeriod: TariffPeriod | null;
    templateId: number | null;
    isTemporary: boolean;
    costPrice: number | null;
    currency: Currency | null;
    expiresAt: string | null;
    timeLeftSeconds: number | null;
    status: ServerStatus;
    resources: ServerCapacityData;
};
export type ModelInstancePk = {
    accountId: number;
    modelId: number;
    instanceId: number;
};
export type ExternalConnectionInfoData = {
    id: ModelInstancePk;
    connected: boolean;
    dockerRunCommand: string | null;
    dockerComposeContent: string | null;
    envVariables: {
        [key: string]: string;
    };
    withheldVariables: string[];
    hostname: string | null;
    version: number | null;
    imageName: string | null;
    httpHost: string | null;
    httpPort: number | null;
};
export type StatusInfo = {
    totalStatus: "RUNNING" | "SLEEPING" | "WAITING" | "FAILED" | "DELETED";
    isDeleted: boolean;
    isConnectedToAllGates: boolean;
    podStatus: string | null;
};
export type Hosting = "external" | "hostingServer";
export type InstancePurpose = "serve" | "fit" | "develop";
export type WaitingDetailsData = {
    servers: number | null;
    lacking: LackData[];
    limit: ExceededLimitData | null;
};
export type InstanceStateWaiting = {
    reason: string | null;
    message: string | null;
    details: WaitingDetailsData | null;
};
export type ModelInstanceData = {
    id: number;
    name: string;
    serverId: number | null;
    serverName: string | null;
    statusInfo: StatusInfo;
    restartCount: number;
    createdTimestamp: string;
    instanceHostingType: Hosting;
    purpose: InstancePurpose;
    lastRestartTimestamp: string | null;
    waiting: InstanceStateWaiting | null;
    start: StartData | null;
};
export type ModelInstanceListData = {
    instances: ModelInstanceData[];
};
export type InstancesStatusData = {
    internalRequested: number;
    internalActive: number;
    internalInError: number;
    hostingServerRequested: number;
    hostingServerActive: number;
    externalRequested: number;
};
export type JobStatus = "IDLE" | "RUN" | "REVERTING" | "COMPLETED" | "FAILED" | "REVERTED" | "REPLACED";
export type JobStatusData = {
    accountId: number;
    jobId: number;
    jobType: string;
    state: JobStatus;
    done: boolean;
    error: boolean;
    errorMessage: string | null;
};
export type InstanceStateRunning = {
    startedAt: string | null;
};
export type InstanceStateTerminated = {
    startedAt: string | null;
    finishedAt: string | null;
    exitCode: number | null;
    reason: string | null;
    message: string | null;
};
export type InstanceLastState = {
    running: InstanceStateRunning | null;
    terminated: InstanceStateTerminated | null;
    waiting: InstanceStateWaiting | null;
};
export type ModelStartTimeData = {
    modelId: number;
    instanceId: number;
    modelAverageStartTimeSec: number | null;
    instanceStartTime: string;
    instanceStartedTime: string | null;
    instanceErrorTime: string | null;
};
export type InstanceEnvironmentData = {
    environment: {
        [key: string]: string;
    };
};
export type EventSource = {
    component: string;
    host: string | null;
};
export type EventData = {
    name: string;
    type: string;
    createdTimestamp: string;
    message: string;
    reason: string;
    source: EventSource;
    firstSeenTimestamp: string;
    lastSeenTimestamp: string;
    count: number;
    kind: string;
    fieldPath: string | null;
    namespace: string;
};
export type InstanceEventData = {
    events: EventData[];
};
export type InstanceLogTailData = {
    run: string | null;
    start: number;
    end: number;
    text: string;
};
export type ModelShortStatusData = {
    state: ModelState;
    instances: InstancesStatusData | null;
    lastJob: JobStatusData | null;
    startTimeSeconds: number | null;
    waiting: InstanceStateWaiting | null;
    start: StartData | null;
};
export type InstanceMetadata = {
    version?: number | null;
    hostname?: string | null;
    builtInImageName?: string | null;
};
export type JobStatusDataV2 = {
    jobId: string;
    jobStatus: JobStatus;
    startTime: number;
    endTime: number | null;
    name: string;
    parents: string[];
    percentage: number;
    currentCommandName: string | null;
    originalException: string | null;
    priorityName: string;
    errorMessage: string | null;
    accountId: number;
    modelId: number | null;
    instanceId: number | null;
    groupOwnerId: number | null;
    groupName: string | null;
    serverId: number | null;
    waitFor: string[];
};
export type OperationType =
    | "RUN"
    | "FIT"
    | "BLOCK"
    | "UNBLOCK"
    | "GRANT"
    | "CREATE"
    | "REMOVE"
    | "EVICT"
    | "REMOVE_BY_BILLING"
    | "WAKE_UP"
    | "RENAME"
    | "PREPARE"
    | "RELOAD"
    | "TRANSFER"
    | "SCALE_UP"
    | "SCALE_DOWN"
    | "NEED_SCALE_UP"
    | "SET_CORRECT_GROUP";
export type EntityName =
    "account" | "model" | "prototype" | "instance" | "resource_group" | "resource_group_server" | "resource_quota";
export type EntityKey = {
    accountId: number;
    modelId: number | null;
    instanceId: number | null;
    groupOwnerId: number | null;
    groupName: string | null;
    serverId: number | null;
};
export type EntityRef = {
    name: EntityName;
    key: EntityKey;
};
export type ShortJobView = {
    jobId: string;
    title: string;
    children: ShortJobView[];
    percentage: number;
    viewStatus: JobStatus;
    currentStep: string;
    operation: OperationType;
    operatedEntity: EntityRef;
    operatedEntityName: string;
    persistentJobStatus: JobStatus;
    runAt: string;
    endTime: string | null;
    step: string;
    stepKey: string | null;
    errorCode: string | null;
    errorArgs: {
        [key: string]: string;
    };
    errorMessage: string | null;
    interrupted: boolean;
    isInterruptible: boolean;
    waitFor: string[];
    unreadStatus: boolean;
};
export type NotificationType =
    | "NO_ONE_VAST_AI_OFFER"
    | "VAST_AI_SERVER_CANNOT_START_INSTANCE"
    | "SERVER_EVENTS_ERROR_INDICATOR"
    | "MODEL_EVENTS_ERROR_INDICATOR"
    | "TOKEN_EXPIRATION_WARNING"
    | "PIPELINE_OPERATION"
    | "BROADCAST"
    | "LICENSE_EXPIRES_SOON"
    | "LICENSE_NOT_VALID"
    | "LICENSE_LIMITS_EXCEEDED"
    | "SERVER_UNAVAILABLE"
    | "SERVER_AVAILABLE"
    | "NONE";
export type Severity = "ERROR" | "WARNING" | "INFO";
export type NotificationText =
    | "REFILL_DONE"
    | "ACCESS_GRANTED"
    | "ACCESS_ENDED"
    | "KEY_SPENDING_NEAR"
    | "KEY_SPENDING_REACHED"
    | "CHARGE_CAPPED"
    | "CHARGE_CAPPED_BY_PAYER"
    | "REQUEST_ANSWERED"
    | "SERVICES_MOVED";
export type NotificationData = {
    id: string;
    type: NotificationType;
    severity: Severity;
    textMessage: string;
    createdAt: string;
    readAt: string | null;
    entity: EntityRef | null;
    operationType: OperationType | null;
    entityDisplayName: string | null;
    expirationDate: string | null;
    notBeforeDate: string | null;
    grafanaLicenseDashboardUrl: string | null;
    textKey: NotificationText | null;
    textArgs: {
        [key: string]: string;
    } | null;
};
export type NotificationReadRequest = {
    ids: string[];
};
export type NotificationEvent =
    | "SERVICE_ERRORS"
    | "SERVICE_RESTART"
    | "INSTANCE_START_AND_STOP"
    | "INSTANCE_EVICTION"
    | "SERVER_ERRORS"
    | "ACCOUNT";
export type EventSettingData = {
    event: NotificationEvent;
    shown: boolean;
    mailed: boolean;
};
export type MailRefusal = "MAIL_OFF" | "NO_ADDRESS" | "UNCONFIRMED";
export type NotificationSettingsData = {
    events: EventSettingData[];
    address: string;
    mailRefusal: MailRefusal | null;
};
export type EventSetting = {
    event: NotificationEvent;
    shown: boolean;
    mailed: boolean;
};
export type NotificationSettingsRequest = {
    events: EventSetting[];
};
export type BroadcastNotificationRequest = {
    textMessage: string;
    severity?: Severity;
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
export type ManagementRequestData = {
    contacts: string;
    comment?: string | null;
};
export type ContactRequestData = {
    contacts: string;
    comment?: string | null;
    kind?: "contact" | "demo";
};
export type MailState = "OFF" | "WAITING" | "SENT" | "FAILED";
export type TeamRequestState = "OPEN" | "CLOSED";
export type TeamRequestData = {
    id: number;
    kind: string;
    accountId: number | null;
    userId: number | null;
    login: string | null;
    contacts: string;
    comment: string | null;
    createdAt: string;
    mailState: MailState;
    state: TeamRequestState;
    answer: string | null;
    answeredBy: string | null;
    answeredAt: string | null;
};
export type PagedTeamRequests = {
    paging: Pagination;
    records: TeamRequestData[];
};
export type TeamRequestUpdate = {
    state: TeamRequestState;
    answer?: string | null;
};
export const {
    useCoreEnsureAccountQuery,
    useCoreUpdateAccountDataMutation,
    useCoreEnsureAccountWithIdQuery,
    useCoreGetAccountPublicNameQuery,
    useCoreUpdateAccountActivityMutation,
    useCoreGetAccountsQuery,
    useCoreGetAccountQuery,
    useCoreGetAccountFeaturesQuery,
    useCoreUpdateFeaturesMutation,
    useCoreUpdateLimitsMutation,
    useCoreGetAccountChangesQuery,
    useCoreUpdateWhiteListMutation,
    useCoreGetAccessByIpQuery,
    useCoreListAccessTokensQuery,
    useCoreCreateAccessTokenMutation,
    useCoreCheckAccessTokenQuery,
    useCoreUpdateAccessTokenMutation,
    useCoreDeleteAccessTokenMutation,
    useCoreGetCallerInfoQuery,
    useCoreAuthorizeApplicationQuery,
    useCoreCheckApplicationIsAliveQuery,
    useCoreEnsureApplicationTokenQuery,
    useCoreSetApplicationCookieQuery,
    useCoreCreateImageMutation,
    useCoreGetPagedImagesQuery,
    useCoreGetPagedImagesV2Query,
    useCoreGetImageQuery,
    useCoreUpdateImageMutation,
    useCoreDeleteImageMutation,
    useCoreGetImageLogsQuery,
    useCoreRestartImageModelsMutation,
    useCoreCreateDataImageMutation,
    useCoreGetPagedDataImagesQuery,
    useCoreGetDataImageQuery,
    useCoreUpdateDataImageMutation,
    useCoreDeleteDataImageMutation,
    useCoreGetDataImageLogsQuery,
    useCoreGetS3CredentialsQuery,
    useCoreRotateS3CredentialsMutation,
    useCoreGetS3StorageQuery,
    useCoreListS3ObjectsQuery,
    useCorePutS3ObjectMutation,
    useCoreGetS3ObjectQuery,
    useCoreDeleteS3ObjectsMutation,
    useCoreDeleteEmptyMinioUsersMutation,
    useCoreListDatasetsQuery,
    useCoreDeprecatedCreateDatasetMutation,
    useCoreGetDatasetStorageQuery,
    useCoreCreateEmptyDatasetMutation,
    useCoreGetDatasetInfoQuery,
    useCoreDeleteDatasetMutation,
    useCoreDeprecatedUpdateDatasetMutation,
    useCoreUpdateDatasetMutation,
    useCoreGetDatasetLogsQuery,
    useCoreCreateDatasetMutation,
    useCoreDownloadDatasetRawContentQuery,
    useCoreUploadDatasetContentMutation,
    useCoreGetDatasetRowsQuery,
    useCoreChangeDatasetRowsMutation,
    useCoreGetAllowedDatasetsForFitQuery,
    useCoreGetAllowedDataTypesForFitQuery,
    useCoreCreateModelMutation,
    useCoreGetModelCountsQuery,
    useCoreGetModelListMutation,
    useCoreCheckModelNameAvailabilityMutation,
    useCoreGetRecentCallsQuery,
    useCoreGetCallSeriesQuery,
    useCoreCreateClonedModelMutation,
    useCoreGetModelInfoQuery,
    useCoreUpdateModelMutation,
    useCoreDeleteModelMutation,
    useCoreGetModelPublicSettingsQuery,
    useCoreUpdateModelPublicSettingsMutation,
    useCoreGetModelBillingSettingsQuery,
    useCoreUpdateModelBillingSettingsMutation,
    useCoreUpdateModelArchiveSettingsMutation,
    useCoreUpdateModelHttpSettingsMutation,
    useCoreGetSimpleDocQuery,
    useCoreUpdateSimpleDocMutation,
    useCoreGetServiceDescriptorQuery,
    useCoreUpdateServiceDescriptorMutation,
    useCoreGetModelVersionsQuery,
    useCoreGetModelVersionQuery,
    useCoreRestoreModelVersionMutation,
    useCoreUpdateLastActivityMutation,
    useCoreUpdateLastActivitiesMutation,
    useCoreGetGroupsQuery,
    useCoreCreateGroupMutation,
    useCoreUpdateGroupMutation,
    useCoreDeleteGroupMutation,
    useCoreSetModelGroupMutation,
    useCoreRemoveModelGroupMutation,
    useCoreListExamplesQuery,
    useCoreCreateExampleMutation,
    useCoreUpdateExampleMutation,
    useCoreDeleteExampleMutation,
    useCoreListPredictConfigsQuery,
    useCoreCreatePredictConfigMutation,
    useCoreGetPredictConfigQuery,
    useCoreUpdatePredictConfigMutation,
    useCoreDeletePredictConfigMutation,
    useCoreListRegistryCredentialsQuery,
    useCoreCreateRegistryCredentialMutation,
    useCoreReplaceRegistryCredentialMutation,
    useCoreDeleteRegistryCredentialMutation,
    useCoreListSecretsQuery,
    useCoreCreateSecretMutation,
    useCoreReplaceSecretMutation,
    useCoreDeleteSecretMutation,
    useCoreGetApiSpecificationQuery,
    useCoreGetSpecificationFileQuery,
    useCoreGetDatasetDataTypesQuery,
    useCoreGetCaptchaConfigQuery,
    useCoreGetModelDefaultsQuery,
    useCoreGetAllResourceGroupsQuery,
    useCoreChangeResourceGroupsMutation,
    useCoreMigrateServicesMutation,
    useCoreGetResourceGroupLogsQuery,
    useCoreGetResourceGroupLogsPageQuery,
    useCoreGetResourceGroupCapacityLogsQuery,
    useCoreGetResourceGroupCapacityLogsPageQuery,
    useCoreGetOwnedResourceGroupsShortStatusQuery,
    useCoreGetResourceGroupCapacityQuery,
    useCoreGetResourceGroupActiveServicesQuery,
    useCoreGetResourceGroupAllServicesQuery,
    useCoreGetResourceGroupServicesQuery,
    useCoreGetResourceGroupServicesInfoQuery,
    useCorePreviewPlacementQuery,
    useCoreGetLimitUseQuery,
    useCoreGetLicenseQuery,
    useCoreGetAccountMetricQuery,
    useCoreGetAccountMetricRangeQuery,
    useCoreGetEarliestTimestampOfAccountMetricQuery,
    useCoreGetModelMetricQuery,
    useCoreGetModelMetricRangeQuery,
    useCoreGetEarliestTimestampOfModelMetricQuery,
    useCoreGetInstanceMetricQuery,
    useCoreGetInstanceMetricRangeQuery,
    useCoreGetEarliestTimestampOfInstanceMetricQuery,
    useCoreGetResourceGroupMetricQuery,
    useCoreGetResourceMetricRangeQuery,
    useCoreGetEarliestTimestampOfResourceGroupMetricQuery,
    useCoreGetModelsMetricQuery,
    useCoreGetModelsMetricsByIdQuery,
    useCoreGetMetricsQuery,
    useCoreGetModelMetricsQuery,
    useCoreSaveMetricsMutation,
    useCoreGetScalingStateQuery,
    useCoreGetScalingDecisionsQuery,
    useCoreDryRunScalingMutation,
    useCoreGetModelGroupTypeQuery,
    useCoreGetResourceGroupsForAccountQuery,
    useCoreGetResourceGroupTypesQuery,
    useCoreGetOwnedResourceGroupsQuery,
    useCoreGetDeployableResourceGroupsQuery,
    useCoreCreateResourceGroupMutation,
    useCoreGetResourceGroupQuery,
    useCoreUpdateResourceGroupMutation,
    useCoreDeleteResourceGroupMutation,
    useCoreGetTemplatesQuery,
    useCoreGetOwnTemplatesQuery,
    useCoreAddServerTemplateMutation,
    useCoreGetPublicTemplatesQuery,
    useCoreUpdateServerTemplateMutation,
    useCoreDeleteServerTemplateMutation,
    useCoreGetServerTemplateAvailabilityQuery,
    useCoreGetModelTemplatesQuery,
    useCoreCreateServerMutation,
    useCoreGetServersQuery,
    useCoreGetServersStatusQuery,
    useCoreGetServerQuery,
    useCoreDeleteServerMutation,
    useCoreGetServerStatusQuery,
    useCoreGetExternalConnectionsQuery,
    useCoreCreateExternalConnectionMutation,
    useCoreCreateExternalApplicationConnectionMutation,
    useCoreDeleteExternalConnectionMutation,
    useCoreGetInstancesQuery,
    useCoreGetInstancesStatusQuery,
    useCoreSetInstancesCountMutation,
    useCoreStartSingleInstanceMutation,
    useCoreStartInstanceMutation,
    useCoreRollingUpdateMutation,
    useCoreLastJobQuery,
    useCoreStopInstanceMutation,
    useCoreTerminateInstanceMutation,
    useCoreGetInstanceLastStateQuery,
    useCoreGetInstanceTimingQuery,
    useCoreGetInstanceEnvironmentQuery,
    useCoreGetInstanceEventsQuery,
    useCoreGetInstanceLogsQuery,
    useCoreGetInstanceLogTailQuery,
    useCoreGetModelStatusQuery,
    useCoreGetModelLogsQuery,
    useCoreRollingUpdateAllInstancesMutation,
    useCoreUpdateInstanceMetadataMutation,
    useCoreListJobsQuery,
    useCoreListAccountJobsQuery,
    useCoreListSelectedAccountJobsQuery,
    useCoreShortTasksViewQuery,
    useCoreMarkTasksReadMutation,
    useCoreStopJobMutation,
    useCoreGetNotificationsQuery,
    useCoreMarkNotificationsReadMutation,
    useCoreGetNotificationSettingsQuery,
    useCoreUpdateNotificationSettingsMutation,
    useCoreBroadcastNotificationMutation,
    useCoreGetAccountClicksQuery,
    useCoreGetModelClicksQuery,
    useCoreRequestFeatureMutation,
    useCoreSendContactRequestMutation,
    useCoreGetTeamRequestsQuery,
    useCoreGetTeamRequestQuery,
    useCoreUpdateTeamRequestMutation,
} = injectedRtkApi;
