import { Badge, Box, Card, Group, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { Link } from '@/components/Link';
import { Price } from '@/components/Price';
import { StateWithStart } from '@/components/StateWithStart';
import { TaskIcon } from '@/components/TaskIcon';
import { useSession } from '@/lib/session';
import { useStartText } from '@/lib/useStartText';
import { stateOf } from '@/lib/waiting';

import { CardFacts } from './CardFacts';
import { FavoriteStar } from './FavoriteStar';
import classes from './ModelCard.module.css';
import { derivationOf } from './derivation';
import { startSecondsOf } from './statistics';

const Pick = lazy(() => import('./choosing/Pick'));
const MOST_LANGUAGES = 3;

export function modelAddress(model: Pick<ModelInfoData, 'id' | 'modelAccountName' | 'modelName'>): string {
  return `/catalog/${model.modelAccountName ?? model.id.accountId}/${model.modelName}`;
}

interface Props {
  model: ModelInfoData;
  taskName: string;
  /** Target of the card, if it is not the catalogue page. */
  to?: string;
  /** Instead of what everybody sees of its calls. */
  details?: ReactNode;
}

export function ModelCard({ model, taskName, to, details }: Props) {
  const session = useSession();
  const startText = useStartText();
  const { t } = useTranslation('State');
  const address = modelAddress(model);
  const state = stateOf(model);
  const choosing = useSearchParams()[0].has('compare');
  return (
    <Card component="article" className={classes.card ?? ''} padding="md">
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Group gap={8} wrap="nowrap" miw={0}>
            <TaskIcon taskType={model.taskType} />
            <Text
              fw={600}
              size="lg"
              lineClamp={2}
              component={Link}
              to={to ?? address}
              className={classes.title ?? ''}
              title={model.displayName ?? model.modelName}
            >
              {model.displayName ?? model.modelName}
            </Text>
          </Group>
          {session.state === 'signed-in' && (
            <Box className={classes.above ?? ''}>
              <FavoriteStar model={model} />
            </Box>
          )}
        </Group>
        <Text
          ff="monospace"
          size="xs"
          c="dimmed"
          className={classes.name ?? ''}
          title={address.replace('/catalog/', '')}
        >
          {address.replace('/catalog/', '')}
        </Text>
        <Box className={classes.description}>
          <Text lineClamp={2} title={model.shortDescription ?? ''}>
            {model.shortDescription ?? ''}
          </Text>
        </Box>
        <Chips model={model} taskName={taskName} />
        <Group justify="space-between" className={classes.foot ?? ''} gap="2px 12px">
          <Price model={model} />
          <Box title={t(state)} className={classes.state}>
            <StateWithStart
              state={state}
              start={model.start}
              text={startText(state, startSecondsOf(model), { alone: true })}
            />
          </Box>
        </Group>
        {details ?? <CardFacts statistics={model.callStatistics} />}
        <Derivation model={model} />
        {choosing && (
          <Box className={classes.above ?? ''}>
            <Suspense>
              <Pick name={address.replace('/catalog/', '')} title={model.displayName ?? model.modelName} />
            </Suspense>
          </Box>
        )}
      </Stack>
    </Card>
  );
}

function Chips({ model, taskName }: { model: ModelInfoData; taskName: string }) {
  const more = model.languages.length - MOST_LANGUAGES;
  return (
    <Group gap={6} title={model.languages.join(', ')}>
      <Badge variant="default">{taskName}</Badge>
      {model.languages.slice(0, MOST_LANGUAGES).map((language) => (
        <Badge key={language} variant="default">
          {language}
        </Badge>
      ))}
      {more > 0 && <Badge variant="default">+{more}</Badge>}
    </Group>
  );
}

/** The model that this one was made from, and whether others can be made from it. */
function Derivation({ model }: { model: ModelInfoData }) {
  const { t } = useTranslation('Catalog');
  const facts = derivationOf(model);
  if (facts.length === 0) return null;
  return (
    <Group gap="sm" className={classes.foot ?? ''}>
      {facts.map(({ kind, name }) => (
        <Text key={kind} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t(`derivation.${kind}`)}
          {name && `: ${name}`}
        </Text>
      ))}
    </Group>
  );
}
