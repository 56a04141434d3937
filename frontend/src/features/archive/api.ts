import { api } from '@/api';

interface Which {
  account: string;
  model: string;
  id: string;
}

export const path = ({ account, model, id }: Which) =>
  `/api/mlpgateway/account/${encodeURIComponent(account)}/model/${encodeURIComponent(model)}/archive/${id}/content`;

/** JSON or JWE, as text. */
export const archiveApi = api.injectEndpoints({
  endpoints: (build) => ({
    archivedContent: build.query<string, Which>({
      query: (which) => ({
        url: path(which),
        responseHandler: (answer) => (answer.ok ? answer.text() : (answer.json() as Promise<unknown>)),
      }),
      keepUnusedDataFor: 0,
    }),
  }),
});
