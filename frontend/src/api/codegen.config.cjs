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
const BY_HAND =
    /^gateway(?!GetVersion|ListArchivedRequests|GetCacheState|GetStorage|SetStorageHours|DeletePredictions)|^core(UpdateHeartbeats|EnrollHostingServer|ServerHeartbeat|GetModelByPublicPath)$/;

// A visit's first page needs few endpoints, and loads only their code. Each file builds upon the one before, so the last one of
// the first knows all of them, and each of the others knows those too.
const FIRST = new Set(require('./first/endpoints.json'));
const services = Object.keys(SERVICES);

function file(prefix, index, first) {
    const before = services[index - 1];
    const own = before
        ? { apiFile: `@/api/first/generated/${before}.gen`, apiImport: `${before}First` }
        : { apiFile: '@/api/base', apiImport: 'api' };
    return [
        join(__dirname, first ? 'first/generated' : 'generated', `${prefix}.gen.ts`),
        {
            ...(first ? own : { apiFile: '@/api/first', apiImport: 'firstApi' }),
            schemaFile: prefixed(prefix, SERVICES[prefix]),
            exportName: first ? `${prefix}First` : `${prefix}Api`,
            // It asks with a body, and changes nothing.
            endpointOverrides: [{ pattern: 'corePreviewPlacement', type: 'query' }],
            filterEndpoints: (name) => !BY_HAND.test(name) && FIRST.has(name) === first,
        },
    ];
}

/** @type {import('@rtk-query/codegen-openapi').ConfigFile} */
module.exports = {
    schemaFile: '',
    encodePathParams: true,
    encodeQueryParams: false,
    hooks: true,
    tag: false,
    outputFiles: Object.fromEntries(
        services.flatMap((prefix, index) => [file(prefix, index, true), file(prefix, index, false)]),
    ),
};
