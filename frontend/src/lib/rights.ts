import { useTranslation } from 'react-i18next';

import type { Session } from './session';

export const MODEL_ADMIN = 'mlp.model_admin';
export const PUBLIC_MODEL_ADMIN = 'mlp.public_model_admin';
export const CONTAINER_FLAGS = 'mlp.container_additional_flags';

const DEVELOPER = 'MLP_DEVELOPER';

/** What a right of an account is called; one that the interface does not know keeps its technical name. */
export function useRightName(): (right: string) => string {
  const { t, i18n } = useTranslation('Rights');
  return (right) => {
    const key = `name.${right.replace('.', '_')}`;
    return i18n.exists(`Rights:${key}`) ? t(key) : right;
  };
}

/** Whether the user's role in the account allows to change its services. */
export function mayDevelop(session: Session): boolean {
  if (session.state !== 'signed-in') return false;
  const { permissions, accountOwner } = session.user;
  return session.isSuperadmin || accountOwner || permissions.some((one) => one.toUpperCase() === DEVELOPER);
}
