import { Select, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, type Problem, splitByField } from '@/api';
import type { HostingType, ModelInfoData } from '@/api/generated/core.gen';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useDraft } from '@/components/settings/drafts';
import { AROUND_ROWS, ROW } from '@/components/settings/rows';

const HOSTINGS: HostingType[] = ['EXTERNAL', 'HOSTING_SERVER', 'INTERNAL', 'AUTOMATIC'];

/** Where instances run: on the owner's machines or in a resource group. */
export function HostingPlace({ account, model, readOnly }: { account: string; model: ModelInfoData; readOnly: boolean }) {
  const { t } = useTranslation('Settings');
  const { data: groups = [] } = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const [update] = coreApi.useCoreUpdateModelMutation();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [missing, setMissing] = useState(false);
  // Null: not chosen here, so it is what the server has.
  const [chosen, setChosen] = useState<{ hosting: HostingType; group: string | null } | null>(null);
  const stored = { hosting: model.hostingType, group: model.resourceGroup };
  const { hosting, group } = chosen ?? stored;
  const outside = hosting === 'EXTERNAL';
  const changed = [...(hosting === stored.hosting ? [] : [t('field.hostingType')]), ...(outside || group === stored.group ? [] : [t('field.resourceGroup')])];
  const discard = () => {
    setChosen(null);
    setProblem(null);
    setMissing(false);
  };
  const save = async () => {
    setMissing(!outside && !group);
    if (!outside && !group) return false;
    const modelCreateUpdateData = { modelName: model.modelName, hostingType: hosting, resourceGroup: outside ? null : group };
    const { error } = await update({ account, model: model.modelName, modelCreateUpdateData });
    if (error) setProblem(asProblem(error));
    else discard();
    return !error;
  };
  useDraft({ changed, save, discard });
  const names = [...new Set([...groups.map(({ name }) => name), ...(stored.group ? [stored.group] : [])])];
  const named = problem ? splitByField(problem, ['hostingType', 'resourceGroup']) : { fields: {} as Record<string, string>, rest: false };
  const errorOf = (path: string) => (problem && named.fields[path] ? <FieldProblem problem={problem} path={path} message={named.fields[path]} /> : undefined);
  return (
    <section className={AROUND_ROWS}>
      <Title order={2} size="h3" mb="sm">
        {t('section.place')}
      </Title>
      <Select
        classNames={ROW}
        label={t('field.hostingType')}
        data={HOSTINGS.map((value) => ({ value, label: t(`option.hostingType.${value}`) }))}
        allowDeselect={false}
        disabled={readOnly}
        error={errorOf('hostingType')}
        value={hosting}
        onChange={(value) => setChosen({ hosting: HOSTINGS.find((known) => known === value) ?? hosting, group })}
      />
      {!outside && (
        <Select
          classNames={ROW}
          label={t('field.resourceGroup')}
          description={t('hint.resourceGroup')}
          data={names}
          searchable
          disabled={readOnly}
          error={errorOf('resourceGroup') ?? (missing && !group ? t('Input:fault.required') : undefined)}
          value={group}
          onChange={(value) => setChosen({ hosting, group: value })}
          nothingFoundMessage={t('noGroups')}
        />
      )}
      {problem && named.rest && <ProblemView problem={problem} />}
    </section>
  );
}
