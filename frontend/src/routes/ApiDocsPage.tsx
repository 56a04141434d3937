import { Alert, Box, Button, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import 'swagger-ui-dist/swagger-ui.css';
import './swagger.css';
import { Page } from '@/components/Page';
import { forReader, loadDocument } from '@/features/documentation/apiDocument';
import { useSession } from '@/lib/session';

const SERVICES = ['mlpcore', 'mlpgateway', 'mlpbilling', 'accountsadmin'] as const;
/** Of the placeholder: what comes fills the window. */
const HEIGHT = 480;

/** The API documents of the four services, to read and to try. Operations of administrators are shown to them only. */
export default function ApiDocsPage() {
  const { t } = useTranslation('Docs');
  const [service, setService] = useState<string>(SERVICES[0]);
  const [attempt, setAttempt] = useState(0);
  const session = useSession();
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <Box style={{ overflowX: 'auto' }}>
        <SegmentedControl aria-label={t('service')} value={service} onChange={setService} data={[...SERVICES]} />
      </Box>
      {session.state === 'loading' ? (
        <Skeleton h={HEIGHT} />
      ) : (
        <Operations
          key={`${service} ${attempt}`}
          service={service}
          superadmin={session.state === 'signed-in' && session.isSuperadmin}
          again={() => setAttempt((last) => last + 1)}
        />
      )}
    </Page>
  );
}

/** Swagger UI takes itself for the whole page: its `main`, which can have the focus, and its title of level 1 are those of a part here. */
function makePart(where: HTMLElement): void {
  for (const main of where.querySelectorAll('main')) main.setAttribute('role', 'group');
  for (const title of where.querySelectorAll('h1')) {
    title.setAttribute('role', 'heading');
    title.setAttribute('aria-level', '2');
  }
}

interface Props {
  service: string;
  superadmin: boolean;
  again: () => void;
}

function Operations({ service, superadmin, again }: Props) {
  const { t } = useTranslation('Docs');
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    const gone = new AbortController();
    const where = place.current;
    const changes = new MutationObserver(() => where && makePart(where));
    if (where) changes.observe(where, { childList: true, subtree: true });
    Promise.all([loadDocument(service, gone.signal), import('swagger-ui-dist/swagger-ui-es-bundle.js')]).then(
      ([document, { default: SwaggerUI }]) => {
        if (gone.signal.aborted || !where) return;
        SwaggerUI({
          domNode: where,
          spec: forReader(document, superadmin),
          deepLinking: false,
          docExpansion: 'list',
          tryItOutEnabled: true,
          defaultModelsExpandDepth: 0,
        });
        setState('shown');
      },
      () => !gone.signal.aborted && setState('failed'),
    );
    return () => {
      gone.abort();
      changes.disconnect();
      where?.replaceChildren();
    };
  }, [service, superadmin]);
  return (
    <Stack>
      {state === 'loading' && <Skeleton h={HEIGHT} />}
      {state === 'failed' && (
        <Alert color="red" title={t('failed')}>
          <Button variant="default" onClick={again}>
            {t('again')}
          </Button>
        </Alert>
      )}
      <Box className="api-document" lang="en" ref={place} />
    </Stack>
  );
}
