import { Box, NavLink } from '@mantine/core';
import {
  IconBox,
  IconBucket,
  IconCoins,
  IconDatabase,
  IconFolders,
  IconHeart,
  IconKey,
  IconListDetails,
  IconLock,
  IconPackages,
  IconServer2,
  IconServerCog,
  IconSettings,
  IconTable,
} from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router';

import { Link } from '@/components/Link';
import { scrollToCentre } from '@/lib/scrollToCentre';

import classes from './WorkspaceFrame.module.css';

/** The sections of the private area; `also` are pages that belong to a section. */
const PLACES = [
  { path: '', name: 'home', Icon: IconHeart, also: [] },
  { path: 'services', name: 'services', Icon: IconListDetails, also: ['model', 'create-service'] },
  { path: 'service-groups', name: 'service-groups', Icon: IconFolders, also: [] },
  { path: 'images', name: 'images', Icon: IconBox, also: ['image'] },
  { path: 'data-images', name: 'data-images', Icon: IconDatabase, also: ['data-image'] },
  { path: 'datasets', name: 'datasets', Icon: IconTable, also: ['dataset'] },
  { path: 's3-bucket', name: 's3-bucket', Icon: IconBucket, also: [] },
  { path: 'resource-groups', name: 'resource-groups', Icon: IconServer2, also: ['resource-group'] },
  { path: 'server-templates', name: 'server-templates', Icon: IconServerCog, also: [] },
  { path: 'api-keys', name: 'api-keys', Icon: IconKey, also: [] },
  { path: 'secrets', name: 'secrets', Icon: IconLock, also: [] },
  { path: 'registries', name: 'registries', Icon: IconPackages, also: [] },
  { path: 'billing', name: 'billing', Icon: IconCoins, also: [] },
  { path: 'account-info', name: 'account-info', Icon: IconSettings, also: [] },
] as const;

export function placeOf(pathname: string): string | null {
  const part = pathname.split('/')[2] ?? '';
  return PLACES.find(({ path, also }) => path === part || (also as readonly string[]).includes(part))?.name ?? null;
}

export function WorkspaceFrame() {
  const { t } = useTranslation('Workspace');
  const { pathname } = useLocation();
  const current = placeOf(pathname);
  const places = useRef<HTMLElement>(null);
  // Where the sections are a scrolling row, the current one is centred.
  useEffect(() => scrollToCentre(places.current, current && '[aria-current=page]'), [current]);
  return (
    <Box className={classes.frame ?? ''}>
      <Box component="nav" ref={places} aria-label={t('places')} className={classes.places ?? ''}>
        {PLACES.map(({ path, name, Icon }) => (
          <NavLink
            key={name}
            component={Link}
            to={path ? `/workspace/${path}` : '/workspace'}
            label={t(`place.${name}`)}
            leftSection={<Icon size={18} stroke={1.5} aria-hidden />}
            active={name === current}
            aria-current={name === current ? 'page' : undefined}
            className={classes.place ?? ''}
          />
        ))}
      </Box>
      <Box flex={1} miw={0}>
        <Outlet />
      </Box>
    </Box>
  );
}
