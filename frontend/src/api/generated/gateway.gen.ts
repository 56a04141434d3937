import { firstApi as api } from "@/api/first";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        gatewayDeletePredictions: build.mutation<GatewayDeletePredictionsApiResponse, GatewayDeletePredictionsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpgateway/account/${encodeURIComponent(String(queryArg.account))}/predictions`,
                method: "DELETE",
            }),
        }),
        gatewayListArchivedRequests: build.query<
            GatewayListArchivedRequestsApiResponse,
            GatewayListArchivedRequestsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpgateway/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/archive`,
                params: {
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        gatewayGetStorage: build.query<GatewayGetStorageApiResponse, GatewayGetStorageApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpgateway/account/${encodeURIComponent(String(queryArg.account))}/storage`,
            }),
        }),
        gatewaySetStorageHours: build.mutation<GatewaySetStorageHoursApiResponse, GatewaySetStorageHoursApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpgateway/account/${encodeURIComponent(String(queryArg.account))}/storage`,
                method: "PUT",
                body: queryArg.storageSettingData,
            }),
        }),
        gatewayGetCacheState: build.query<GatewayGetCacheStateApiResponse, GatewayGetCacheStateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpgateway/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/cache`,
            }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as gatewayApi };
export type GatewayDeletePredictionsApiResponse = /** status 200 Successful Response */ DeletedPredictionsData;
export type GatewayDeletePredictionsApiArg = {
    /** account id, or short name */
    account: string;
};
export type GatewayListArchivedRequestsApiResponse = /** status 200 Successful Response */ ArchivedRequestList;
export type GatewayListArchivedRequestsApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type GatewayGetStorageApiResponse = /** status 200 Successful Response */ StorageData;
export type GatewayGetStorageApiArg = {
    /** account id, or short name */
    account: string;
};
export type GatewaySetStorageHoursApiResponse = /** status 200 Successful Response */ StorageData;
export type GatewaySetStorageHoursApiArg = {
    /** account id, or short name */
    account: string;
    storageSettingData: StorageSettingData;
};
export type GatewayGetCacheStateApiResponse = /** status 200 Successful Response */ CacheStateData;
export type GatewayGetCacheStateApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type DeletedPredictionsData = {
    deleted: number;
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
export type ArchivedRequestData = {
    id: string;
    at: string;
    requestId: string;
    callerAccountId: number;
    operation: string;
    status: number;
    errorCode: string | null;
    requestBytes: number;
    answerBytes: number;
    storedBytes: number;
    durationMs: number;
    instanceId: number | null;
    cached: boolean;
    keyId: string | null;
};
export type Pagination = {
    totalElements: number;
    totalPages: number;
    pageNumber: number;
    pageSize: number;
};
export type ArchivedRequestList = {
    records: ArchivedRequestData[];
    paging: Pagination;
};
export type Kind = "predictions" | "answers" | "archive";
export type StorageKindData = {
    kind: Kind;
    bytes: number;
    items: number;
};
export type StorageSettingData = {
    predictionHours: number | null;
    answerHours: number | null;
    archiveHours: number | null;
};
export type StorageHoursData = {
    predictionHours: number;
    answerHours: number;
    archiveHours: number | null;
};
export type StorageData = {
    limitBytes: number;
    usedBytes: number;
    kinds: StorageKindData[];
    setting: StorageSettingData;
    kept: StorageHoursData;
};
export type CacheState = "OFF" | "IDLE" | "CONNECTING" | "READY" | "AWAY";
export type Problem =
    | "UNREACHABLE"
    | "ADDRESS_NOT_ALLOWED"
    | "ADDRESS_INVALID"
    | "AUTHENTICATION_FAILED"
    | "NOT_PERMITTED"
    | "NOT_WRITABLE"
    | "UNREADABLE_RECORD";
export type CacheStateData = {
    state: CacheState;
    problem: Problem | null;
    problemAt: string | null;
};
export const {
    useGatewayDeletePredictionsMutation,
    useGatewayListArchivedRequestsQuery,
    useGatewayGetStorageQuery,
    useGatewaySetStorageHoursMutation,
    useGatewayGetCacheStateQuery,
} = injectedRtkApi;
