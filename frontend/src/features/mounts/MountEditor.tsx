import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, type Problem } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { RowsEditor } from '@/components/rows/RowsEditor';
import { useRawJson } from '@/components/rows/useRawJson';
import { useDraft } from '@/components/settings/drafts';

import { MountRow } from './MountRow';
import {
  faultsOf,
  knownOf,
  type Mount,
  mountsOf,
  NEW,
  readMounts,
  refusedOf,
  type Stored,
  storedOf,
  writeMounts,
} from './mounts';

interface Props {
  account: string;
  model: ModelInfoData;
  readOnly?: boolean;
}

const sent = (mounts: readonly Mount[]) => JSON.stringify(storedOf(mounts));

/** What instances find in their file system: volumes and data images. */
export function MountEditor({ account, model, readOnly = false }: Props) {
  const { t } = useTranslation('Mounts');
  const [update] = coreApi.useCoreUpdateModelMutation();
  const { mounts, base, setMounts, setBase } = useStored(model);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const raw = useRawJson({ rows: mounts, onRows: setMounts, write: writeMounts, read: readMounts });
  const refused = problem ? refusedOf(Object.keys(problem.args), mounts) : { rows: {}, rest: false };
  const lists = storedOf(mounts);
  const discard = () => {
    setMounts(base);
    raw.reset(base);
    setTried(false);
    setProblem(null);
  };
  const save = async () => {
    setTried(true);
    setProblem(null);
    if (raw.broken || mounts.some((mount) => Object.keys(faultsOf(mount, mounts)).length)) {
      raw.show(false);
      return false;
    }
    const { error } = await update({
      account,
      model: model.modelName,
      modelCreateUpdateData: { modelName: model.modelName, ...lists },
    });
    const found = asProblem(error);
    setProblem(found);
    if (found) raw.show(false);
    else setBase(mounts);
    return !found;
  };
  useDraft({ changed: sent(mounts) !== sent(base) || raw.broken ? [t('title')] : [], save, discard });
  const change = (id: number, values: Partial<Mount>) => {
    setProblem(null);
    setMounts(mounts.map((mount) => (mount.id === id ? { ...mount, ...values } : mount)));
  };
  return (
    <RowsEditor
      title={t('title')}
      hint={t('hint')}
      none={t('none')}
      add={t('add')}
      onAdd={() => setMounts([...mounts, { ...NEW, id: Math.max(-1, ...mounts.map(({ id }) => id)) + 1 }])}
      raw={raw}
      shape={t('shape')}
      empty={mounts.length === 0}
      readOnly={readOnly}
    >
      {mounts.map((mount) => (
        <MountRow
          key={mount.id}
          account={account}
          mount={mount}
          known={knownOf(mount, model.dataImageMounts)}
          faults={tried || mount.path ? faultsOf(mount, mounts) : {}}
          refused={refused.rows[mount.id] ?? {}}
          problem={problem}
          readOnly={readOnly}
          onChange={(values) => change(mount.id, values)}
          onRemove={() => setMounts(mounts.filter(({ id }) => id !== mount.id))}
        />
      ))}
      {problem && (refused.rest || Object.keys(refused.rows).length === 0) && <ProblemView problem={problem} />}
    </RowsEditor>
  );
}

/** The rows, which take over what the server has when it changes and they were not edited. */
function useStored(stored: Stored) {
  const now = mountsOf(stored);
  const [mounts, setMounts] = useState(now);
  const [base, setBase] = useState(now);
  const [seen, setSeen] = useState(() => sent(now));
  if (seen !== sent(now)) {
    setSeen(sent(now));
    setBase(now);
    if (sent(mounts) === sent(base)) setMounts(now);
  }
  return { mounts, base, setMounts, setBase };
}
