/** Answers that were asked for before the application was there, by address. */
declare global {
  interface Window {
    earlyAnswers?: Map<string, Promise<Response>>;
  }
}

/** After this time an answer that nobody wanted is not the present state. */
const FRESH_MS = 15_000;

/** As the API client asks: the session is a cookie. */
export function askEarly(path: string): Promise<Response> {
  const answers = (window.earlyAnswers ??= new Map<string, Promise<Response>>());
  const address = window.location.origin + path;
  const answer = fetch(address, {
    credentials: 'same-origin',
    headers: { Accept: 'application/json, text/plain, */*' },
  });
  answers.set(address, answer);
  answer.catch(() => answers.delete(address));
  setTimeout(() => answers.delete(address), FRESH_MS);
  return answer.then((given) => given.clone());
}

/** The answer to a request, if it was asked for early; each is given once. */
export function earlyAnswer({ method, url }: Pick<Request, 'method' | 'url'>): Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  const answer = window.earlyAnswers?.get(url);
  window.earlyAnswers?.delete(url);
  return answer;
}
