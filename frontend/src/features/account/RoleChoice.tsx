import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Role } from '@/api/generated/accounts.gen';

export type Given = Exclude<Role, 'OWNER'>;
const GIVEN: Given[] = ['MLP_USER', 'MLP_DEVELOPER'];

/** A role that an owner may give. */
export function RoleChoice({
  label,
  value,
  disabled = false,
  onChange,
}: {
  label: string;
  value: Given;
  disabled?: boolean;
  onChange: (role: Given) => void;
}) {
  const { t } = useTranslation('Account');
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      disabled={disabled}
      data={GIVEN.map((role) => ({ value: role, label: t(`role.${role}`) }))}
      onChange={({ currentTarget }) => onChange(GIVEN.find((role) => role === currentTarget.value) ?? 'MLP_USER')}
    />
  );
}
