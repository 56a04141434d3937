import { Box, SegmentedControl } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import 'swagger-ui-dist/swagger-ui.css';
import './swagger.css';
import { Page } from '@/components/Page';

const SERVICES = ['mlpcore', 'mlpgateway', 'mlpbilling', 'accountsadmin'] as const;

/** The API documents of the four services, to read and to try. */
export default function ApiDocsPage() {
  const { t } = useTranslation('Docs');
  const [service, setService] = useState<string>(SERVICES[0]);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let gone = false;
    const where = place.current;
    void import('swagger-ui-dist/swagger-ui-es-bundle.js').then(({ default: SwaggerUI }) => {
      if (!gone && where) {
        SwaggerUI({ domNode: where, url: `/api/${service}/openapi.json`, deepLinking: false, docExpansion: 'list', tryItOutEnabled: true });
      }
    });
    return () => {
      gone = true;
      where?.replaceChildren();
    };
  }, [service]);
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <SegmentedControl aria-label={t('service')} w="fit-content" value={service} onChange={setService} data={[...SERVICES]} />
      <Box bg="white" c="black" style={{ colorScheme: 'light', borderRadius: 8 }} ref={place} />
    </Page>
  );
}
