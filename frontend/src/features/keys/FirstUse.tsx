import { Skeleton } from '@mantine/core';

import type { AccessTokenData, ModelInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { LANGUAGE_NAMES, listSnippet, snippet } from '@/lib/predict/snippets';
import { useExamples } from '@/lib/predict/useExamples';

import { serviceKey } from './keyValues';
import { useKnownServices } from './useServices';

interface Props {
  account: string;
  /** The secret, or the variable that holds it. */
  token: string;
  rights: Pick<AccessTokenData, 'permissions' | 'allowedServices' | 'allowedOrigins'>;
  onCopied?: () => void;
}

/** What a program does first with the key: it calls a service that the key may call, else it lists what the key may read. */
export function FirstUse({ account, token, rights, onCopied }: Props) {
  const { permissions, allowedServices } = rights;
  const calls = permissions.includes('predict');
  const { services, isLoading } = useKnownServices(account, !calls);
  if (calls && isLoading) return <Skeleton h={100} />;
  const service = calls ? firstOf(services, allowedServices) : undefined;
  if (service)
    return (
      <Call
        service={service}
        token={token}
        forPages={(rights.allowedOrigins ?? []).length > 0 /* missing while the previous release answers */}
        onCopied={onCopied}
      />
    );
  if (!permissions.includes('read')) return null;
  return (
    <CodeBlock
      code={listSnippet(window.location.origin, account, token)}
      label={LANGUAGE_NAMES.curl}
      onCopied={onCopied}
    />
  );
}

/** The first service that the key is limited to; without a limit, one that answers at once, if there is any. */
function firstOf(
  services: readonly ModelInfoData[],
  allowed: AccessTokenData['allowedServices'],
): ModelInfoData | undefined {
  if (!allowed) return services.find(({ state }) => state === 'RUNNING') ?? services[0];
  const known = new Map(services.map((service) => [serviceKey(service.id), service]));
  return allowed.map((id) => known.get(serviceKey(id))).find((service) => service !== undefined);
}

interface CallProps {
  service: ModelInfoData;
  token: string;
  /** The key is for pages of some sites, so a script is what its owner needs first. */
  forPages: boolean;
  onCopied: (() => void) | undefined;
}

function Call({ service, token, forPages, onCopied }: CallProps) {
  const owner = service.modelAccountName ?? String(service.id.accountId);
  const examples = useExamples(owner, service.modelName, service.taskType);
  if (!examples) return <Skeleton h={100} />;
  const facts = {
    origin: window.location.origin,
    account: owner,
    model: service.modelName,
    key: token,
    data: examples[0]?.request ?? {},
  };
  return (forPages ? (['javascript', 'curl'] as const) : (['curl'] as const)).map((language) => (
    <CodeBlock key={language} code={snippet(language, facts)} label={LANGUAGE_NAMES[language]} onCopied={onCopied} />
  ));
}
