import { api } from './base';
import type { CoreCheckModelNameAvailabilityApiArg, ModelNameAvailability } from './generated/core.gen';

/** A question that the server takes by POST: generated as a mutation, it could neither be cached nor asked by render. */
export const askedApi = api.injectEndpoints({
  endpoints: (build) => ({
    nameAvailability: build.query<ModelNameAvailability, CoreCheckModelNameAvailabilityApiArg>({
      query: (params) => ({ url: '/api/mlpcore/model-name-availability', method: 'POST', params }),
      keepUnusedDataFor: 5,
    }),
  }),
});

export interface Build {
  buildNumber: string;
  buildDate: string;
  buildBranch: string;
}

/** Of the pages themselves, which no service serves. */
export const versionApi = api.injectEndpoints({
  endpoints: (build) => ({
    runningBuild: build.query<Build, void>({ query: () => '/version' }),
  }),
});
