/** `{account}.{key}.{secret}`: the middle names the key in addresses. A listed key has its secret masked. */
export function keyId(token: string): number {
  return Number(token.split('.')[1]);
}

export function dotenv(token: string, url: string): string {
  return `MLP_REST_URL=${url}\nMLP_CLIENT_TOKEN=${token}\n`;
}
