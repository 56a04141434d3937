import { gatewayFirst as api } from "@/api/first/generated/gateway.gen";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        billingGetVersion: build.query<BillingGetVersionApiResponse, BillingGetVersionApiArg>({
            query: () => ({ url: `/api/mlpbilling/version` }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as billingFirst };
export type BillingGetVersionApiResponse = /** status 200 Successful Response */ VersionData;
export type BillingGetVersionApiArg = void;
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
export const { useBillingGetVersionQuery } = injectedRtkApi;
