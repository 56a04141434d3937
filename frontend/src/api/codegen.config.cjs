// One client for four services: operation ids get the service's name in front, since each is unique in its own only.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const SERVICES = {
  accounts: 'accountsadmin',
  core: 'mlpcore',
  gateway: 'mlpgateway',
  billing: 'mlpbilling',
};
const cache = join(__dirname, '../../node_modules/.cache/openapi');

function prefixed(prefix, service) {
  const document = JSON.parse(readFileSync(join(__dirname, 'openapi', `${service}.json`), 'utf8'));
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) operation.operationId = `${prefix}_${operation.operationId}`;
  }
  mkdirSync(cache, { recursive: true });
  const path = join(cache, `${prefix}.json`);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

// Calls of models take any body and may stream; they are written by hand. Agents and instances use the others.
const BY_HAND = /^gateway(?!GetVersion|ListArchivedRequests|GetCacheState|GetStorage|SetStorageHours|DeletePredictions)|^core(UpdateHeartbeats|EnrollHostingServer|ServerHeartbeat|GetModelByPublicPath)$/;

/** @type {import('@rtk-query/codegen-openapi').ConfigFile} */
module.exports = {
  schemaFile: '',
  apiFile: '@/api/base',
  apiImport: 'api',
  encodePathParams: true,
  encodeQueryParams: false,
  hooks: true,
  tag: false,
  outputFiles: Object.fromEntries(
    Object.entries(SERVICES).map(([prefix, service]) => [
      join(__dirname, 'generated', `${prefix}.gen.ts`),
      {
        schemaFile: prefixed(prefix, service),
        exportName: `${prefix}Api`,
        filterEndpoints: (name) => !BY_HAND.test(name),
      },
    ]),
  ),
};
