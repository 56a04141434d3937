export interface AwsFacts {
  s3Url: string;
  bucketName: string;
  accessKey: string;
  /** What stands for the secret key if it is not to be shown. */
  secretKey: string;
  /** The folder that the page shows. */
  folder: string;
}

/** The platform has no regions, but signatures contain one. */
const REGION = 'us-east-1';
const PLAIN = /^[\w@%+=:,./-]+$/;
/** Seconds for which a signed link is valid. */
const LINK_SECONDS = 3600;

export const COMMANDS = ['variables', 'ls', 'cp', 'sync', 'rm', 'presign'] as const;
export type Command = (typeof COMMANDS)[number];

/** A word of a POSIX shell. */
export const quoted = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What to type to use the bucket with aws-cli, by what it does. */
export function awsCommands({ s3Url, bucketName, accessKey, secretKey, folder }: AwsFacts): Record<Command, string> {
  const at = (name: string) => quoted(`s3://${bucketName}/${folder}${name}`);
  const variables = {
    AWS_ENDPOINT_URL: s3Url,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_DEFAULT_REGION: REGION,
  };
  return {
    variables: Object.entries(variables)
      .map(([name, value]) => `export ${name}=${quoted(value)}`)
      .join('\n'),
    ls: `aws s3 ls ${at('')}`,
    cp: `aws s3 cp data.csv ${at('data.csv')}\naws s3 cp ${at('data.csv')} .`,
    sync: `aws s3 sync ./data ${at('data/')}\naws s3 sync ${at('data/')} ./data`,
    rm: `aws s3 rm ${at('data.csv')}\naws s3 rm --recursive ${at('data/')}`,
    presign: `aws s3 presign ${at('data.csv')} --expires-in ${LINK_SECONDS}`,
  };
}
