import { useLocation } from 'react-router';

import { useAddressParams } from './useAddressParams';

export const MODALS = ['refill', 'access', 'service-development', 'demo', 'contact'] as const;
export type ModalName = (typeof MODALS)[number];

/** The address says which modal is open: it can be linked to, and the back button closes it. */
/** The address of the page under the modal. */
export function useWithoutModal(): string {
  const { pathname, search } = useLocation();
  const params = new URLSearchParams(search);
  params.delete('modal');
  params.delete('about');
  return params.size ? `${pathname}?${params.toString()}` : pathname;
}

export function useModal() {
  const [params, setParams] = useAddressParams();
  const named = params.get('modal');
  const change = (name: ModalName | null, about?: string) =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        next.delete('modal');
        next.delete('about');
        if (name) next.set('modal', name);
        if (name && about) next.set('about', about);
        return next;
      },
      { replace: name === null },
    );
  return {
    opened: MODALS.find((known) => known === named) ?? null,
    /** Subject of a request, such as the wanted feature. */
    about: params.get('about'),
    open: (name: ModalName, about?: string) => change(name, about),
    close: () => change(null),
  };
}
