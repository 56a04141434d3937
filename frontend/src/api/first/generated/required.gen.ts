/** Endpoint to the names of its required parameters. Written by `npm run api`. */
export const requiredParameters: Record<string, readonly string[]> = {
  accountsListAllowedAccounts: ['userId'],
  coreGetPagedModels: ['account'],
  coreSetFavorite: ['account', 'model'],
};
