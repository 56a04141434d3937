import { coreFirst as api } from "@/api/first/generated/core.gen";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        gatewayGetVersion: build.query<GatewayGetVersionApiResponse, GatewayGetVersionApiArg>({
            query: () => ({ url: `/api/mlpgateway/version` }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as gatewayFirst };
export type GatewayGetVersionApiResponse = /** status 200 Successful Response */ VersionData;
export type GatewayGetVersionApiArg = void;
export type VersionData = {
    buildNumber: string;
    buildDate: string;
    buildBranch: string;
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
export const { useGatewayGetVersionQuery } = injectedRtkApi;
