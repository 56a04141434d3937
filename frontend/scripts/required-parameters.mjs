// Writes the required path and query parameters of each generated endpoint, which the client checks before a call.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const api = fileURLToPath(new URL('../src/api/', import.meta.url));
const camel = (text) => text.replace(/[_-]+(\w)/g, (_, letter) => letter.toUpperCase());
const first = new Set(JSON.parse(readFileSync(`${api}first/endpoints.json`, 'utf8')));
const endpoints = [];
for (const [prefix, service] of [
    ['accounts', 'accountsadmin'],
    ['core', 'mlpcore'],
    ['gateway', 'mlpgateway'],
    ['billing', 'mlpbilling'],
]) {
    const { paths } = JSON.parse(readFileSync(`${api}openapi/${service}.json`, 'utf8'));
    for (const operations of Object.values(paths)) {
        for (const operation of Object.values(operations)) {
            const names = (operation.parameters ?? [])
                .filter(({ required, in: where }) => required && where !== 'header')
                .map(({ name }) => camel(name));
            if (names.length) endpoints.push([camel(`${prefix}_${operation.operationId}`), names]);
        }
    }
}
const line = ([endpoint, names]) =>
    `  ${endpoint}: ${JSON.stringify(names).replaceAll('"', "'").replaceAll(',', ', ')},`;
const table = (entries) =>
    `/** Endpoint to the names of its required parameters. Written by \`npm run api\`. */\nexport const requiredParameters: Record<string, readonly string[]> = {\n${entries.map(line).toSorted().join('\n')}\n};\n`;
writeFileSync(`${api}first/generated/required.gen.ts`, table(endpoints.filter(([endpoint]) => first.has(endpoint))));
writeFileSync(`${api}generated/required.gen.ts`, table(endpoints.filter(([endpoint]) => !first.has(endpoint))));
