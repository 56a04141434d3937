import { api } from "@/api/base";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        gatewayGetVersion: build.query<GatewayGetVersionApiResponse, GatewayGetVersionApiArg>({
            query: () => ({ url: `/api/mlpgateway/version` }),
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
        gatewayGetCacheState: build.query<GatewayGetCacheStateApiResponse, GatewayGetCacheStateApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpgateway/account/${encodeURIComponent(String(queryArg.account))}/model/${encodeURIComponent(String(queryArg.model))}/cache`,
            }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as gatewayApi };
export type GatewayGetVersionApiResponse = /** status 200 Successful Response */ VersionData;
export type GatewayGetVersionApiArg = void;
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
export type GatewayGetCacheStateApiResponse = /** status 200 Successful Response */ CacheStateData;
export type GatewayGetCacheStateApiArg = {
    /** model id, or name */
    model: string;
    /** account id, or short name */
    account: string;
};
export type VersionData = {
    buildNumber: string;
    buildDate: string;
    buildBranch: string;
};
export type ErrorBody = {
    code: string;
    message: string;
    status: number;
    args: {
        [key: string]: string;
    };
    requestId: string;
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
export const { useGatewayGetVersionQuery, useGatewayListArchivedRequestsQuery, useGatewayGetCacheStateQuery } =
    injectedRtkApi;
