import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { StateDot } from '@/components/StateDot';
import { Price } from '@/components/Price';

import classes from './ModelCard.module.css';

export function modelAddress(model: Pick<ModelInfoData, 'id' | 'modelAccountName' | 'modelName'>): string {
  return `/catalog/${model.modelAccountName ?? model.id.accountId}/${model.modelName}`;
}

export function ModelCard({ model, taskName }: { model: ModelInfoData; taskName: string }) {
  const address = modelAddress(model);
  return (
    <Card component={Link} to={address} className={classes.card ?? ''} padding="md">
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600} size="lg" lineClamp={1}>
            {model.displayName ?? model.modelName}
          </Text>
          <StateDot state={model.state} />
        </Group>
        <Text ff="monospace" size="xs" c="dimmed" lineClamp={1}>
          {address.replace('/catalog/', '')}
        </Text>
        <Text size="md" lineClamp={2} className={classes.description}>
          {model.shortDescription ?? ''}
        </Text>
        <Group gap={6}>
          <Badge variant="default" tt="none" fw={500}>
            {taskName}
          </Badge>
          {model.languages.slice(0, 4).map((language) => (
            <Badge key={language} variant="default" tt="none" fw={500}>
              {language}
            </Badge>
          ))}
        </Group>
        <Price model={model} />
      </Stack>
    </Card>
  );
}
