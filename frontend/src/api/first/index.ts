/** What the first page of a visit needs of the API client; pages that are loaded later use `@/api`. See `endpoints.json`. */
import { billingFirst } from './generated/billing.gen';
import { requiredParameters } from './generated/required.gen';
import { withRequired } from '../checked';

withRequired(billingFirst, requiredParameters, [billingFirst]);

export const firstApi = billingFirst.enhanceEndpoints({
  endpoints: {
    coreGetPublicModels: { providesTags: ['Models'] },
    coreGetPagedModels: { providesTags: ['Models'] },
    coreGetFeaturedModels: { providesTags: ['Models'] },
    coreSetFavorite: { invalidatesTags: ['Models', 'Model'] },
    accountsGetSession: { providesTags: ['Session'] },
    accountsListAllowedAccounts: { providesTags: ['Session'] },
    accountsGetPublicOptions: { providesTags: ['Domains'] },
  },
});

export { asProblem, isProblem, type Problem } from '../problem';
