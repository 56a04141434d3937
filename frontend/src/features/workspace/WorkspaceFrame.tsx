import { Box, Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation, useNavigate } from 'react-router';

const PLACES = ['services', 'api-keys', 'billing', 'account-info'] as const;

/** The places of the private area, one line under the header. */
export function WorkspaceFrame() {
  const { t } = useTranslation('Workspace');
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const place = pathname.split('/')[2];
  const current = PLACES.find((known) => known === place) ?? 'services';
  return (
    <>
      <Box px={{ base: 16, sm: 24 }} maw="var(--mlp-page)" mx="auto" w="100%" pt="xs">
        <Tabs value={current} onChange={(value) => void navigate(value === 'services' ? '/workspace' : `/workspace/${value ?? ''}`)}>
          <Tabs.List aria-label={t('places')}>
            {PLACES.map((value) => (
              <Tabs.Tab key={value} value={value}>
                {t(`place.${value}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      </Box>
      <Outlet />
    </>
  );
}
