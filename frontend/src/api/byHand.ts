import { api } from './base';
import type { CoreCheckModelNameAvailabilityApiArg, ModelNameAvailability } from './generated/core.gen';

/** A query that the server takes as POST: as a generated mutation it could be neither cached nor run during rendering. */
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

/** Files of the pages themselves, which no service serves. */
export const versionApi = api.injectEndpoints({
  endpoints: (build) => ({
    runningBuild: build.query<Build, void>({ query: () => '/version' }),
  }),
});
