import { NumberInput, Radio, Select, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi, splitByField } from '@/api';
import type { HostingType } from '@/api/generated/core.gen';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import { AROUND_ROWS, NARROW, ROW } from '@/components/settings/rows';

import { isFixed, type useHostingPlace } from './useHostingPlace';

const HOSTINGS: readonly HostingType[] = ['AUTOMATIC', 'INTERNAL', 'HOSTING_SERVER', 'EXTERNAL'];
const MOST_INSTANCES = 1000;
/** The empty value of the list of groups, which must be a text. */
const DEFAULT = '';

interface Props {
  account: string;
  prototype: boolean;
  readOnly: boolean;
  chosen: ReturnType<typeof useHostingPlace>;
}

/** Where instances run, and how many where people set it. */
export function HostingPlace({ account, prototype, readOnly, chosen: { place, stored, problem, change } }: Props) {
  const { t } = useTranslation('Settings');
  const { data: groups = [] } = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const names = [...new Set([...groups.map(({ name }) => name), ...(stored.group ? [stored.group] : [])])];
  const named = problem
    ? splitByField(problem, ['hostingType', 'resourceGroup'])
    : { fields: {} as Record<string, string>, rest: false };
  const errorOf = (path: string) =>
    problem && named.fields[path] ? (
      <FieldProblem problem={problem} path={path} message={named.fields[path]} />
    ) : undefined;
  return (
    <section className={AROUND_ROWS}>
      <Title order={2} size="h3" mb="sm">
        {t('section.place')}
      </Title>
      <Radio.Group
        classNames={ROW}
        label={t('field.hostingType')}
        readOnly={readOnly}
        error={errorOf('hostingType')}
        value={place.hosting}
        onChange={(value) => change({ hosting: HOSTINGS.find((known) => known === value) ?? place.hosting })}
      >
        <Stack gap="sm" className={ROW.wrapper}>
          {HOSTINGS.map((value) => (
            <Radio
              key={value}
              value={value}
              disabled={readOnly}
              label={t(`option.hostingType.${value}`)}
              description={t(`hint.hostingTypes.${value}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {place.hosting === 'EXTERNAL' && stored.instances > 0 && <Text c="orange">{t('endsInstances')}</Text>}
      {place.hosting !== 'EXTERNAL' && (
        <Select
          classNames={ROW}
          label={t('field.resourceGroup')}
          description={t('hint.resourceGroup')}
          data={[{ value: DEFAULT, label: t('defaultGroup') }, ...names]}
          searchable
          allowDeselect={false}
          disabled={readOnly}
          error={errorOf('resourceGroup')}
          value={place.group ?? DEFAULT}
          onChange={(value) => change({ group: value || null })}
          nothingFoundMessage={t('noGroups')}
        />
      )}
      {isFixed(place.hosting) && !prototype && (
        <NumberInput
          classNames={NARROW}
          label={t('field.instances')}
          description={t('hint.instances')}
          min={0}
          max={MOST_INSTANCES}
          clampBehavior="strict"
          allowDecimal={false}
          disabled={readOnly}
          value={place.instances}
          onChange={(value) => change({ instances: Number(value) || 0 })}
        />
      )}
      {problem && named.rest && <ProblemView problem={problem} />}
    </section>
  );
}
