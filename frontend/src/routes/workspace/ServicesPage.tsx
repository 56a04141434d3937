import { ServiceList } from '@/features/service/ServiceList';
import { useMember } from '@/lib/session';

export function ServicesPage() {
  const { account } = useMember();
  return <ServiceList account={account} />;
}
