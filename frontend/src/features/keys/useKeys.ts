/** `{account}.{key}.{secret}`: the middle part is the key's id in paths. Listed keys have masked secrets. */
export function keyId(token: string): number {
  return Number(token.split('.')[1]);
}

export function dotenv(token: string, url: string): string {
  return `MLP_REST_URL=${url}\nMLP_CLIENT_TOKEN=${token}\n`;
}
