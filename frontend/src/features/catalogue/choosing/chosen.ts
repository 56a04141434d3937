import { useAddressParams } from '@/lib/useAddressParams';

/** More columns than this are not read. */
export const MOST = 4;
export const PARAMETER = 'compare';
const NAME = /^[\w.-]{1,64}\/[\w.-]{1,64}$/;

/** The services of an address, `account/service` each; wrong ones and those too many are left out. */
export function chosenIn(params: URLSearchParams): string[] {
  const names = (params.get(PARAMETER) ?? '').split(',').filter((name) => NAME.test(name));
  return [...new Set(names)].slice(0, MOST);
}

/** The parameter stays without services: people are still choosing. Null: they are not. */
export function withChosen(params: URLSearchParams, names: readonly string[] | null): URLSearchParams {
  const changed = new URLSearchParams(params);
  if (names) changed.set(PARAMETER, names.join(','));
  else changed.delete(PARAMETER);
  return changed;
}

export function compareAddress(names: readonly string[]): string {
  return `/catalog/compare?${PARAMETER}=${names.map(encodeURIComponent).join(',')}`;
}

/** What is being compared: a part of the address, so it can be shared and outlives a reload. */
export function useChosen() {
  const [params, setParams] = useAddressParams();
  const chosen = chosenIn(params);
  return {
    chosen,
    choosing: params.has(PARAMETER),
    set: (names: readonly string[] | null) => setParams((now) => withChosen(now, names), { replace: true }),
    toggle: (name: string) =>
      setParams(
        (now) =>
          withChosen(
            now,
            chosenIn(now).includes(name) ? chosenIn(now).filter((one) => one !== name) : [...chosenIn(now), name],
          ),
        { replace: true },
      ),
  };
}
