import { firstApi as api } from "@/api/first";
const injectedRtkApi = api.injectEndpoints({
    endpoints: (build) => ({
        billingGetBlocked: build.query<BillingGetBlockedApiResponse, BillingGetBlockedApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/blocked`,
            }),
        }),
        billingGetBalance: build.query<BillingGetBalanceApiResponse, BillingGetBalanceApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/balance`,
            }),
        }),
        billingGetShortBalance: build.query<BillingGetShortBalanceApiResponse, BillingGetShortBalanceApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/balance/short`,
            }),
        }),
        billingGetIncomeDetails: build.query<BillingGetIncomeDetailsApiResponse, BillingGetIncomeDetailsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/details/income`,
                params: {
                    period: queryArg.period,
                    date: queryArg.date,
                },
            }),
        }),
        billingGetSpendingDetails: build.query<BillingGetSpendingDetailsApiResponse, BillingGetSpendingDetailsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/details/spending`,
                params: {
                    period: queryArg.period,
                    date: queryArg.date,
                },
            }),
        }),
        billingGetIncomeByModel: build.query<BillingGetIncomeByModelApiResponse, BillingGetIncomeByModelApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/report/income/models`,
                params: {
                    period: queryArg.period,
                    date: queryArg.date,
                },
            }),
        }),
        billingGetIncomeByPayer: build.query<BillingGetIncomeByPayerApiResponse, BillingGetIncomeByPayerApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/report/income/payers`,
                params: {
                    period: queryArg.period,
                    date: queryArg.date,
                },
            }),
        }),
        billingGetCallOrigins: build.query<BillingGetCallOriginsApiResponse, BillingGetCallOriginsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/call-origins`,
            }),
        }),
        billingGetHostingIncomeDetails: build.query<
            BillingGetHostingIncomeDetailsApiResponse,
            BillingGetHostingIncomeDetailsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/details/income/hosting`,
                params: {
                    period: queryArg.period,
                    date: queryArg.date,
                },
            }),
        }),
        billingGetHostingSpendingDetails: build.query<
            BillingGetHostingSpendingDetailsApiResponse,
            BillingGetHostingSpendingDetailsApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/details/spending/hosting`,
                params: {
                    period: queryArg.period,
                    date: queryArg.date,
                },
            }),
        }),
        billingGetStatement: build.query<BillingGetStatementApiResponse, BillingGetStatementApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/statement`,
                params: {
                    direction: queryArg.direction,
                    split: queryArg.split,
                    first: queryArg.first,
                    last: queryArg.last,
                },
            }),
        }),
        billingListStatementCalls: build.query<BillingListStatementCallsApiResponse, BillingListStatementCallsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/statement/calls`,
                params: {
                    direction: queryArg.direction,
                    first: queryArg.first,
                    last: queryArg.last,
                    modelId: queryArg.modelId,
                    payerAccountId: queryArg.payerAccountId,
                    keyId: queryArg.keyId,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        billingListStatementRents: build.query<BillingListStatementRentsApiResponse, BillingListStatementRentsApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/statement/rents`,
                params: {
                    direction: queryArg.direction,
                    first: queryArg.first,
                    last: queryArg.last,
                    sourceType: queryArg.sourceType,
                    sourceName: queryArg.sourceName,
                    ownerId: queryArg.ownerId,
                    payerAccountId: queryArg.payerAccountId,
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        billingGetBalanceForecast: build.query<BillingGetBalanceForecastApiResponse, BillingGetBalanceForecastApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/balance/forecast`,
            }),
        }),
        billingGetWelcomeOffer: build.query<BillingGetWelcomeOfferApiResponse, BillingGetWelcomeOfferApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/user/${encodeURIComponent(String(queryArg.userId))}/refill/welcome-bonus`,
            }),
        }),
        billingTakeWelcomeBonus: build.mutation<BillingTakeWelcomeBonusApiResponse, BillingTakeWelcomeBonusApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/user/${encodeURIComponent(String(queryArg.userId))}/refill/welcome-bonus`,
                method: "POST",
            }),
        }),
        billingRefillFromIncome: build.mutation<BillingRefillFromIncomeApiResponse, BillingRefillFromIncomeApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/user/${encodeURIComponent(String(queryArg.userId))}/refill/income`,
                method: "POST",
                body: queryArg.refillIncomeRequest,
                headers: {
                    "Idempotency-Key": queryArg["Idempotency-Key"],
                },
            }),
        }),
        billingRefillAccount: build.mutation<BillingRefillAccountApiResponse, BillingRefillAccountApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/admin/account/${encodeURIComponent(String(queryArg.accountId))}/refill`,
                method: "POST",
                body: queryArg.manualRefillRequest,
            }),
        }),
        billingGetRefillHistory: build.query<BillingGetRefillHistoryApiResponse, BillingGetRefillHistoryApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/refill/history`,
            }),
        }),
        billingRefillByCard: build.mutation<BillingRefillByCardApiResponse, BillingRefillByCardApiArg>({
            query: (queryArg) => ({
                url: `/api/mlpbilling/account/${encodeURIComponent(String(queryArg.accountId))}/user/${encodeURIComponent(String(queryArg.userId))}/refill/card/dynamic`,
                method: "POST",
                body: queryArg.refillCardRequest,
            }),
        }),
        billingListPaymentMismatches: build.query<
            BillingListPaymentMismatchesApiResponse,
            BillingListPaymentMismatchesApiArg
        >({
            query: (queryArg) => ({
                url: `/api/mlpbilling/admin/payment-mismatches`,
                params: {
                    page: queryArg.page,
                    size: queryArg.size,
                    sort: queryArg.sort,
                },
            }),
        }),
        billingCheckLedger: build.query<BillingCheckLedgerApiResponse, BillingCheckLedgerApiArg>({
            query: () => ({ url: `/api/mlpbilling/admin/ledger/verification` }),
        }),
    }),
    overrideExisting: false,
});
export { injectedRtkApi as billingApi };
export type BillingGetBlockedApiResponse = /** status 200 Successful Response */ boolean;
export type BillingGetBlockedApiArg = {
    /** account id */
    accountId: number;
};
export type BillingGetBalanceApiResponse = /** status 200 Successful Response */ BalanceData;
export type BillingGetBalanceApiArg = {
    /** account id */
    accountId: number;
};
export type BillingGetShortBalanceApiResponse = /** status 200 Successful Response */ BalanceShortData;
export type BillingGetShortBalanceApiArg = {
    /** account id */
    accountId: number;
};
export type BillingGetIncomeDetailsApiResponse = /** status 200 Successful Response */ BillingDetails;
export type BillingGetIncomeDetailsApiArg = {
    /** account id */
    accountId: number;
    period?: ReportPeriod;
    /** ISO 8601 date or time; now by default */
    date?: string | null;
};
export type BillingGetSpendingDetailsApiResponse = /** status 200 Successful Response */ BillingDetails;
export type BillingGetSpendingDetailsApiArg = {
    /** account id */
    accountId: number;
    period?: ReportPeriod;
    /** ISO 8601 date or time; now by default */
    date?: string | null;
};
export type BillingGetIncomeByModelApiResponse = /** status 200 Successful Response */ IncomeByModelRow[];
export type BillingGetIncomeByModelApiArg = {
    /** account id */
    accountId: number;
    period?: ReportPeriod;
    /** ISO 8601 date or time; now by default */
    date?: string | null;
};
export type BillingGetIncomeByPayerApiResponse = /** status 200 Successful Response */ IncomeByPayerRow[];
export type BillingGetIncomeByPayerApiArg = {
    /** account id */
    accountId: number;
    period?: ReportPeriod;
    /** ISO 8601 date or time; now by default */
    date?: string | null;
};
export type BillingGetCallOriginsApiResponse = /** status 200 Successful Response */ CallOrigins;
export type BillingGetCallOriginsApiArg = {
    /** account id */
    accountId: number;
};
export type BillingGetHostingIncomeDetailsApiResponse = /** status 200 Successful Response */ HostingDetails;
export type BillingGetHostingIncomeDetailsApiArg = {
    /** account id */
    accountId: number;
    period?: ReportPeriod;
    /** ISO 8601 date or time; now by default */
    date?: string | null;
};
export type BillingGetHostingSpendingDetailsApiResponse = /** status 200 Successful Response */ HostingDetails;
export type BillingGetHostingSpendingDetailsApiArg = {
    /** account id */
    accountId: number;
    period?: ReportPeriod;
    /** ISO 8601 date or time; now by default */
    date?: string | null;
};
export type BillingGetStatementApiResponse = /** status 200 Successful Response */ Statement;
export type BillingGetStatementApiArg = {
    /** account id */
    accountId: number;
    direction?: Direction;
    split?: Split;
    /** First day (UTC); 29 days before `last` by default */
    first?: string | null;
    /** Last day (UTC), included; today by default */
    last?: string | null;
};
export type BillingListStatementCallsApiResponse = /** status 200 Successful Response */ CallPage;
export type BillingListStatementCallsApiArg = {
    /** account id */
    accountId: number;
    direction?: Direction;
    /** First day (UTC); 29 days before `last` by default */
    first?: string | null;
    /** Last day (UTC), included; today by default */
    last?: string | null;
    modelId?: number | null;
    payerAccountId?: number | null;
    /** 0: calls without an API key */
    keyId?: number | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type BillingListStatementRentsApiResponse = /** status 200 Successful Response */ RentPage;
export type BillingListStatementRentsApiArg = {
    /** account id */
    accountId: number;
    direction?: Direction;
    /** First day (UTC); 29 days before `last` by default */
    first?: string | null;
    /** Last day (UTC), included; today by default */
    last?: string | null;
    sourceType?: string | null;
    sourceName?: string | null;
    ownerId?: number | null;
    payerAccountId?: number | null;
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type BillingGetBalanceForecastApiResponse = /** status 200 Successful Response */ BalanceForecast;
export type BillingGetBalanceForecastApiArg = {
    /** account id */
    accountId: number;
};
export type BillingGetWelcomeOfferApiResponse = /** status 200 Successful Response */ WelcomeOffer;
export type BillingGetWelcomeOfferApiArg = {
    userId: number;
    /** account id */
    accountId: number;
};
export type BillingTakeWelcomeBonusApiResponse = unknown;
export type BillingTakeWelcomeBonusApiArg = {
    userId: number;
    /** account id */
    accountId: number;
};
export type BillingRefillFromIncomeApiResponse = unknown;
export type BillingRefillFromIncomeApiArg = {
    userId: number;
    /** account id */
    accountId: number;
    "Idempotency-Key"?: string | null;
    refillIncomeRequest: RefillIncomeRequest;
};
export type BillingRefillAccountApiResponse = /** status 200 Successful Response */ RefillHistoryRow;
export type BillingRefillAccountApiArg = {
    /** account id */
    accountId: number;
    manualRefillRequest: ManualRefillRequest;
};
export type BillingGetRefillHistoryApiResponse = /** status 200 Successful Response */ RefillHistoryRow[];
export type BillingGetRefillHistoryApiArg = {
    /** account id */
    accountId: number;
};
export type BillingRefillByCardApiResponse = /** status 200 Successful Response */ RefillCardResponse;
export type BillingRefillByCardApiArg = {
    userId: number;
    /** account id */
    accountId: number;
    refillCardRequest: RefillCardRequest;
};
export type BillingListPaymentMismatchesApiResponse = /** status 200 Successful Response */ PaymentNoticePage;
export type BillingListPaymentMismatchesApiArg = {
    page?: number;
    size?: number;
    /** field,asc or field,desc */
    sort?: string;
};
export type BillingCheckLedgerApiResponse = /** status 200 Successful Response */ VerificationData;
export type BillingCheckLedgerApiArg = void;
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
export type CurrencyBalance = {
    currency: string;
    mainNano: number;
    incomeNano: number;
    heldNano: number;
};
export type BalanceData = {
    overallBalanceCurrency: number;
    incomeBalanceCurrency: number;
    jaicpTariffBalanceCurrency: number | null;
    nextRefillCurrency: number | null;
    nextRefillDate: string | null;
    mainBalanceCurrency: number;
    blocked: boolean;
    belowZeroSince: string | null;
    balances: CurrencyBalance[];
};
export type BalanceShortData = {
    overallBalanceCurrency: number;
    incomeBalanceCurrency: number;
    jaicpTariffBalanceCurrency: number | null;
    nextRefillCurrency: number | null;
    nextRefillDate: string | null;
};
export type BillingDetailsRow = {
    date: string;
    sourceType: "MODEL";
    modelAccountId: number;
    modelId: number;
    name: string;
    callsCount: number;
    units: number;
    reportedUnits: number;
    amountCurrency: number;
};
export type BillingDetails = {
    total: number;
    items: BillingDetailsRow[];
};
export type ReportPeriod = "HOUR" | "DAY" | "MONTH" | "YEAR";
export type IncomeByModelRow = {
    modelId: number;
    modelName: string;
    callsCount: number;
    amountCurrency: number;
};
export type IncomeByPayerRow = {
    accountId: number;
    accountName: string;
    callsCount: number;
    amountCurrency: number;
};
export type CallOrigins = {
    lastBySession: string | null;
    lastByKey: string | null;
};
export type HostingDetailsRow = {
    date: string;
    sourceType: "RESOURCE_GROUP" | "QUOTA" | "SERVER";
    sourceName: string;
    ownerId: number;
    amountCurrency: number;
};
export type HostingDetails = {
    total: number;
    items: HostingDetailsRow[];
};
export type Direction = "SPENDING" | "INCOME";
export type Split = "SERVICE" | "PAYER";
export type StatementItem = {
    kind: "MODEL" | "RESOURCE_GROUP" | "QUOTA" | "SERVER" | "ACCOUNT" | "KEY" | "HOSTING" | "REST";
    id: number | null;
    accountId: number | null;
    accountName: string | null;
    name: string;
    callsCount: number;
    amount: string;
};
export type StatementDay = {
    day: string;
    item: number;
    callsCount: number;
    amount: string;
};
export type BalanceChange = {
    opening: string;
    calls: string;
    hosting: string;
    refills: string;
    bonuses: string;
    fromIncome: string;
    closing: string;
};
export type Statement = {
    direction: Direction;
    split: Split;
    first: string;
    last: string;
    timeZone: "UTC";
    currency: string;
    total: string;
    items: StatementItem[];
    days: StatementDay[];
    balanceChange: BalanceChange;
};
export type CallRow = {
    usageId: string;
    date: string;
    requestId: string | null;
    operation: string;
    modelAccountId: number;
    modelId: number;
    modelName: string;
    payerAccountId: number;
    payerName: string;
    keyId: number | null;
    units: number;
    amount: string;
};
export type Pagination = {
    totalElements: number;
    totalPages: number;
    pageNumber: number;
    pageSize: number;
};
export type CallPage = {
    total: string;
    records: CallRow[];
    paging: Pagination;
};
export type RentRow = {
    chargeId: string;
    periodStart: string;
    periodEnd: string;
    periods: number;
    sourceType: "RESOURCE_GROUP" | "QUOTA" | "SERVER";
    sourceName: string;
    ownerId: number;
    ownerName: string;
    payerAccountId: number;
    payerName: string;
    amount: string;
};
export type RentPage = {
    total: string;
    records: RentRow[];
    paging: Pagination;
};
export type BalanceForecast = {
    since: string;
    until: string;
    calls: string;
    hosting: string;
    perDay: string;
    enoughForDays: number | null;
};
export type WelcomeOffer = {
    offered: boolean;
    amountCurrency: number;
};
export type RefillIncomeRequest = {
    accountId: number;
    amountCurrency: number;
};
export type RefillHistoryRow = {
    id: number;
    createdAt: string;
    source: string;
    currency: string;
    amountCurrency: number;
    status: string;
    userId: number | null;
};
export type Currency = "RUBLE" | "TOKEN";
export type ManualRefillRequest = {
    amountCurrency: number;
    currency: Currency;
    comment: string;
    idempotencyKey: string;
};
export type RefillCardResponse = {
    paymentUrl: string;
};
export type RefillCardRequest = {
    accountId: number;
    amountCurrency: number;
    redirectUrl: string;
};
export type PaymentNoticeData = {
    id: number;
    receivedAt: string;
    provider: string;
    source: "CALLBACK" | "LOOK_UP";
    attemptId: string;
    accountId: number;
    paymentId: string;
    outcome: string;
    currency: string;
    amountCurrency: number;
    orderedCurrency: string;
    orderedAmountCurrency: number;
};
export type PaymentNoticePage = {
    paging: Pagination;
    records: PaymentNoticeData[];
};
export type DriftData = {
    accountId: number;
    currency: string;
    figure: string;
    cachedNano: number;
    actualNano: number;
};
export type UnexplainedData = {
    usages: number;
    refills: number;
    payments: number;
    rents: number;
    debts: number;
};
export type DebtSumsData = {
    openNano: number;
    uncollectedNano: number;
    payableNano: number;
    advancedNano: number;
};
export type VerificationData = {
    sound: boolean;
    drifts: DriftData[];
    unbalancedTransactions: number;
    sums: {
        [key: string]: number;
    };
    unexplained: UnexplainedData;
    debts: {
        [key: string]: DebtSumsData;
    };
};
export const {
    useBillingGetBlockedQuery,
    useBillingGetBalanceQuery,
    useBillingGetShortBalanceQuery,
    useBillingGetIncomeDetailsQuery,
    useBillingGetSpendingDetailsQuery,
    useBillingGetIncomeByModelQuery,
    useBillingGetIncomeByPayerQuery,
    useBillingGetCallOriginsQuery,
    useBillingGetHostingIncomeDetailsQuery,
    useBillingGetHostingSpendingDetailsQuery,
    useBillingGetStatementQuery,
    useBillingListStatementCallsQuery,
    useBillingListStatementRentsQuery,
    useBillingGetBalanceForecastQuery,
    useBillingGetWelcomeOfferQuery,
    useBillingTakeWelcomeBonusMutation,
    useBillingRefillFromIncomeMutation,
    useBillingRefillAccountMutation,
    useBillingGetRefillHistoryQuery,
    useBillingRefillByCardMutation,
    useBillingListPaymentMismatchesQuery,
    useBillingCheckLedgerQuery,
} = injectedRtkApi;
