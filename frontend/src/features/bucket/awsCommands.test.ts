import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { awsCommands, quoted } from './awsCommands';

const FACTS = {
  s3Url: 'https://s3.example.org',
  bucketName: 'acme-1',
  accessKey: 'AK',
  secretKey: 'a/b+c',
  folder: 'raw/',
};

test('the commands name the endpoint, the bucket and the open folder', () => {
  const { variables, ...others } = awsCommands(FACTS);
  expect(variables.split('\n')).toEqual([
    'export AWS_ENDPOINT_URL=https://s3.example.org',
    'export AWS_ACCESS_KEY_ID=AK',
    'export AWS_SECRET_ACCESS_KEY=a/b+c',
    'export AWS_DEFAULT_REGION=us-east-1',
  ]);
  expect(others).toEqual({
    ls: 'aws s3 ls s3://acme-1/raw/',
    cp: 'aws s3 cp data.csv s3://acme-1/raw/data.csv\naws s3 cp s3://acme-1/raw/data.csv .',
    sync: 'aws s3 sync ./data s3://acme-1/raw/data/\naws s3 sync s3://acme-1/raw/data/ ./data',
    rm: 'aws s3 rm s3://acme-1/raw/data.csv\naws s3 rm --recursive s3://acme-1/raw/data/',
    presign: 'aws s3 presign s3://acme-1/raw/data.csv --expires-in 3600',
  });
});

test.each(['plain/name.csv', 'two words', "it's", '$(rm -rf .)', '`id`', 'a"b\\c', 'строка', '; echo no', '~', ''])(
  'a shell reads back the word %s',
  (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quoted(word)}`], { encoding: 'utf8' })).toBe(word);
  },
);
