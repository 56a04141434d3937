import { api } from "@/api/base";
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
                body: queryArg.accountFeatureData,
            }),
        }),
        coreUpdateLimits: build.mutation<CoreUpdateLimitsApiResponse, CoreUpdateLimitsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/limits`,
                method: "POST",
                body: queryArg.accountLimitsData,
            }),
        }),
        coreUpdateWhiteList: build.mutation<CoreUpdateWhiteListApiResponse, CoreUpdateWhiteListApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/admin/account/${encodeURIComponent(String(queryArg.account))}/whiteList`,
                method: "POST",
                body: queryArg.body,
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
        coreSetFavorite: build.mutation<CoreSetFavoriteApiResponse, CoreSetFavoriteApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/favorite`,
                method: "POST",
                body: queryArg.body,
            }),
        }),
        coreUpdateLastActivity: build.mutation<CoreUpdateLastActivityApiResponse, CoreUpdateLastActivityApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpcore/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/activity`,
                method: "POST",
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
        coreGetTaskTypes: build.query<CoreGetTaskTypesApiResponse, CoreGetTaskTypesApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/task-types` }),
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
        coreGetFrontendSettings: build.query<CoreGetFrontendSettingsApiResponse, CoreGetFrontendSettingsApiArg>({
            query: () => ({ url: `/api/mlpcore/system-config/frontend-settings` }),
        }),
        coreGetVersion: build.query<CoreGetVersionApiResponse, CoreGetVersionApiArg>({
            query: () => ({ url: `/api/mlpcore/version` }),
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
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
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
    accountFeatureData: AccountFeatureData;
};
export type CoreUpdateLimitsApiResponse = /** status 200 Successful Response */ AccountInfoData;
export type CoreUpdateLimitsApiArg = {
    /** account id, or short name */
    account: string;
    accountLimitsData: AccountLimitsData;
};
export type CoreUpdateWhiteListApiResponse = unknown;
export type CoreUpdateWhiteListApiArg = {
    /** account id, or short name */
    account: string;
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
export type CoreCheckModelNameAvailabilityApiResponse = /** status 200 Successful Response */ ModelNameAvailability;
export type CoreCheckModelNameAvailabilityApiArg = {
    modelName: string;
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
export type CoreSetFavoriteApiResponse = unknown;
export type CoreSetFavoriteApiArg = {
    /** account id, or short name */
    account: string;
    /** model id, or name */
    model: string;
    body: boolean;
};
export type CoreUpdateLastActivityApiResponse = unknown;
export type CoreUpdateLastActivityApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
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
export type CoreGetTaskTypesApiResponse = /** status 200 Successful Response */ TaskTypeData[];
export type CoreGetTaskTypesApiArg = void;
export type CoreGetDatasetDataTypesApiResponse = /** status 200 Successful Response */ string[];
export type CoreGetDatasetDataTypesApiArg = void;
export type CoreGetCaptchaConfigApiResponse = /** status 200 Successful Response */ CaptchaData;
export type CoreGetCaptchaConfigApiArg = void;
export type CoreGetModelDefaultsApiResponse = /** status 200 Successful Response */ ModelDefaults;
export type CoreGetModelDefaultsApiArg = void;
export type CoreGetFrontendSettingsApiResponse = /** status 200 Successful Response */ FrontendSettings;
export type CoreGetFrontendSettingsApiArg = void;
export type CoreGetVersionApiResponse = /** status 200 Successful Response */ VersionData;
export type CoreGetVersionApiArg = void;
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
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
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
export type CoreGetModelStatusApiResponse = /** status 200 Successful Response */ ModelShortStatusData;
export type CoreGetModelStatusApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
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
export type CoreBroadcastNotificationApiResponse = unknown;
export type CoreBroadcastNotificationApiArg = {
    broadcastNotificationRequest: BroadcastNotificationRequest;
};
export type CoreSaveClicksApiResponse = unknown;
export type CoreSaveClicksApiArg = {
    visitorId?: string | null;
    body: ClickHistoryData[];
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
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
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
export type Pagination = {
    totalElements: number;
    totalPages: number;
    pageNumber: number;
    pageSize: number;
};
export type PagedImageInfoData = {
    paging: Pagination;
    records: ImageInfoData[];
};
export type Belonging = "ALL" | "MINE" | "MINE_PUBLIC" | "MINE_RESTRICTED" | "MINE_PRIVATE" | "NOT_MINE";
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
    active?: boolean;
    enabled?: boolean | null;
    scheduledInstanceCountSettings?: ScheduledInstanceCount[];
    idleTimeMinutes?: number | null;
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
export type CallStatisticsData = {
    days: number;
    medianLatencyMs: number | null;
    successRate: number | null;
    calls: number | null;
    failedCalls: number | null;
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
    trainingDataset: null;
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
    measuredStartTimeSec: number | null;
    callStatistics: CallStatisticsData | null;
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
export type TaskTypeToModelsCount = {
    taskTypeName: string;
    modelsCount: number;
};
export type CatalogCategoryData = {
    categories: TaskTypeToModelsCount[];
};
export type ModelNameAvailability = {
    available: boolean;
    reason: string | null;
};
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
export type TaskTypeData = {
    name: string;
    displayName: string;
    icon: string;
    color: string;
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
export type GroupType = "DOCKER" | "KUBERNETES" | "HOSTING_SERVER" | "SHARED_RESOURCE_QUOTA";
export type GroupAccess = "PRIVATE" | "PUBLIC" | "SHARED_POOL";
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
export type ServerCapacityData = {
    cpu: string;
    memory: string;
    disk: string;
    gpuModels: string[];
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
    rawConfiguration: string;
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
export type ServerStatus = "RUNNING" | "STARTING" | "STOPPED" | "UNAVAILABLE" | "DELETING";
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
    totalStatus: string;
    isDeleted: boolean;
    isConnectedToAllGates: boolean;
    podStatus: string | null;
};
export type Hosting = "external" | "hostingServer";
export type ModelInstanceData = {
    id: number;
    name: string;
    serverId: number | null;
    serverName: string | null;
    statusInfo: StatusInfo;
    restartCount: number;
    createdTimestamp: string;
    instanceHostingType: Hosting;
    lastRestartTimestamp: string | null;
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
export type InstanceStateWaiting = {
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
export type ModelState = "RUNNING" | "STARTING" | "SLEEPING" | "INACTIVE";
export type ModelShortStatusData = {
    state: ModelState;
    instances: InstancesStatusData;
    lastJob: JobStatusData | null;
    startTimeSeconds: number | null;
};
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
    | "CHARGE_CAPPED_BY_PAYER";
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
};
export type PagedTeamRequests = {
    paging: Pagination;
    records: TeamRequestData[];
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
    useCoreGetPagedModelsQuery,
    useCoreCreateModelMutation,
    useCoreGetModelCountsQuery,
    useCoreGetModelListMutation,
    useCoreGetPublicModelsQuery,
    useCoreGetFeaturedModelsQuery,
    useCoreGetCatalogCategoriesQuery,
    useCoreCheckModelNameAvailabilityMutation,
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
    useCoreSetFavoriteMutation,
    useCoreUpdateLastActivityMutation,
    useCoreGetSimpleDocQuery,
    useCoreUpdateSimpleDocMutation,
    useCoreGetServiceDescriptorQuery,
    useCoreUpdateServiceDescriptorMutation,
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
    useCoreListSecretsQuery,
    useCoreCreateSecretMutation,
    useCoreReplaceSecretMutation,
    useCoreDeleteSecretMutation,
    useCoreGetApiSpecificationQuery,
    useCoreGetSpecificationFileQuery,
    useCoreGetTaskTypesQuery,
    useCoreGetDatasetDataTypesQuery,
    useCoreGetCaptchaConfigQuery,
    useCoreGetModelDefaultsQuery,
    useCoreGetFrontendSettingsQuery,
    useCoreGetVersionQuery,
    useCoreGetResourceGroupTypesQuery,
    useCoreGetOwnedResourceGroupsQuery,
    useCoreGetDeployableResourceGroupsQuery,
    useCoreCreateResourceGroupMutation,
    useCoreGetResourceGroupQuery,
    useCoreUpdateResourceGroupMutation,
    useCoreDeleteResourceGroupMutation,
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
    useCoreBroadcastNotificationMutation,
    useCoreSaveClicksMutation,
    useCoreGetAccountClicksQuery,
    useCoreGetModelClicksQuery,
    useCoreRequestFeatureMutation,
    useCoreSendContactRequestMutation,
    useCoreGetTeamRequestsQuery,
} = injectedRtkApi;
