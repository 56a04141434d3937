/** `{account}.{key}.{secret}`: the middle part is the key's id in paths. Listed keys have masked secrets. */
export function keyId(token: string): number {
  return Number(token.split('.')[1]);
}

/** For the client library, which reads `MLP_CLIENT_TOKEN`, and for the commands that pages show, which read `MLP_API_KEY`. */
export function dotenv(token: string, url: string): string {
  return `MLP_REST_URL=${url}\nMLP_CLIENT_TOKEN=${token}\nMLP_API_KEY=${token}\n`;
}
