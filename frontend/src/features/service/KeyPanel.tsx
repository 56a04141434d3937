import { Alert, Anchor, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';

import { coreApi } from '@/api';
import type { AccessTokenData, ModelInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { Link } from '@/components/Link';
import { KEY_VARIABLE } from '@/lib/predict/snippets';
import { loginAddress } from '@/lib/redirects';
import { useSession } from '@/lib/session';

import { keyChoices, newKeyAddress } from './keyChoice';
import { MakeKey } from './MakeKey';

interface Props {
  model: ModelInfoData;
  /** Called with the secret of the chosen key; null if only its owner knows it. */
  onSecret: (secret: string | null) => void;
}

/** The key with which the snippets call: one that is chosen, or one that is created here. */
export function KeyPanel(props: Props) {
  const { t } = useTranslation('Service');
  const session = useSession();
  const { pathname } = useLocation();
  if (session.state === 'loading') return null;
  if (session.state === 'signed-in' && session.accountId !== null)
    return <OwnKeys account={String(session.accountId)} {...props} />;
  return (
    <Alert variant="light" title={t('needKey')}>
      <Group>
        <Anchor href={loginAddress(pathname)}>{t('signIn')}</Anchor>
        <Anchor href={`/c/register?redirectUrl=${encodeURIComponent(pathname)}`}>{t('signUp')}</Anchor>
      </Group>
    </Alert>
  );
}

function OwnKeys({ account, model, onSecret }: Props & { account: string }) {
  useTranslation('Keys');
  const { t } = useTranslation('Service');
  const { pathname } = useLocation();
  const { data: keys } = coreApi.useCoreListAccessTokensQuery({ account });
  const [chosen, setChosen] = useState<string | null>(null);
  const [made, setMade] = useState<AccessTokenData | null>(null);
  if (!keys) return null;
  const choices = keyChoices(keys, model.id);
  const choose = (id: string | null) => {
    setChosen(id);
    onSecret(made !== null && id === idOf(made) ? made.token : null);
  };
  const created = (key: AccessTokenData) => {
    setMade(key);
    setChosen(idOf(key));
    onSecret(key.token);
  };
  const name = choices.find(({ value }) => value === chosen)?.label;
  const atHand = made !== null && chosen === idOf(made);
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        {choices.length > 0 && (
          <Select
            size="xs"
            w={260}
            label={t('key')}
            placeholder={KEY_VARIABLE}
            data={choices.map(({ value, label, usable }) => ({
              value,
              label: usable ? label : t('keyUnusable', { name: label }),
              disabled: !usable,
            }))}
            value={chosen}
            onChange={choose}
            clearable
            clearButtonProps={{ 'aria-label': KEY_VARIABLE }}
          />
        )}
        <MakeKey account={account} model={model} onMade={created} />
        <Anchor component={Link} to={newKeyAddress(pathname)} size="sm">
          {t('keyWithLimits')}
        </Anchor>
      </Group>
      {atHand ? (
        <Alert variant="light" color="yellow" title={t('Keys:once')}>
          <CodeBlock code={made.token} label={t('newKey')} />
        </Alert>
      ) : (
        <Text size="sm" c="dimmed" data-testid="key-hint">
          {name === undefined
            ? t(choices.some(({ usable }) => usable) ? 'apiHint' : 'needKey')
            : t('keyChosen', { name, variable: KEY_VARIABLE.slice(1) })}
        </Text>
      )}
    </Stack>
  );
}

/** The number of a key, the same in its masked and in its whole form. */
function idOf({ token }: Pick<AccessTokenData, 'token'>): string {
  return token.split('.')[1] ?? token;
}
