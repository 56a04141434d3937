import type { Role } from '@/api/generated/accounts.gen';

/** The most powerful one first. */
export const ROLES: Role[] = ['OWNER', 'MLP_DEVELOPER', 'MLP_USER'];

export const roleOf = (roles: readonly Role[]): Role => ROLES.find((role) => roles.includes(role)) ?? 'MLP_USER';
