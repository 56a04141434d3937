import type { Session } from '@/lib/session';

/** A page that a key leads to after `g`, and that the palette finds. */
export interface Place {
  /** The letter after `g`, as on the key; `code` finds the key on any keyboard layout. */
  letter: string;
  code: string;
  /** The text's section and key. */
  text: string;
  to: string;
}

const place = (letter: string, text: string, to: string): Place => ({
  letter,
  code: `Key${letter.toUpperCase()}`,
  text,
  to,
});

const OPEN = [place('c', 'Header:catalog', '/catalog'), place('d', 'Docs:title', '/swagger-ui')];

const OWN = [
  place('h', 'Workspace:place.home', '/workspace'),
  ...OPEN,
  place('s', 'Workspace:place.services', '/workspace/services'),
  place('o', 'Workspace:place.service-groups', '/workspace/service-groups'),
  place('k', 'Workspace:place.api-keys', '/workspace/api-keys'),
  place('e', 'Workspace:place.secrets', '/workspace/secrets'),
  place('g', 'Workspace:place.registries', '/workspace/registries'),
  place('i', 'Workspace:place.images', '/workspace/images'),
  place('m', 'Workspace:place.data-images', '/workspace/data-images'),
  place('f', 'Workspace:place.datasets', '/workspace/datasets'),
  place('u', 'Workspace:place.s3-bucket', '/workspace/s3-bucket'),
  place('r', 'Workspace:place.resource-groups', '/workspace/resource-groups'),
  place('p', 'Workspace:place.server-templates', '/workspace/server-templates'),
  place('b', 'Workspace:place.billing', '/workspace/billing'),
  place('t', 'Tasks:title', '/job-status'),
  place('a', 'Workspace:place.account-info', '/workspace/account-info'),
];

const OPERATOR = [
  place('h', 'Places:accounts', '/superadmin'),
  place('r', 'Places:requests', '/superadmin/requests'),
  place('n', 'Places:broadcast', '/superadmin/broadcast'),
  place('o', 'Places:domains', '/superadmin/domains'),
  place('l', 'Places:licence', '/superadmin/licence'),
  place('t', 'Tasks:title', '/job-status'),
  place('d', 'Docs:title', '/swagger-ui'),
];

export function placesOf(session: Session): readonly Place[] {
  if (session.state !== 'signed-in') return [place('h', 'Palette:start', '/'), ...OPEN];
  if (session.isSuperadmin) return OPERATOR;
  return session.accountId === null ? OPEN : OWN;
}
