import { Box } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { toastDone } from '@/components/feedback/Toasts';
import { showFault } from '@/lib/showFault';

import { type Draft, DraftsContext } from './drafts';
import { LeaveGuard } from './LeaveGuard';
import { SaveBar } from './SaveBar';

/** A page with settings: one bar saves and discards the changes of all its forms, and leaving asks about them. */
export function SaveScope({ children }: { children: ReactNode }) {
  const { t } = useTranslation('Unsaved');
  const place = useRef<HTMLDivElement>(null);
  const drafts = useRef(new Map<string, Draft>());
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [saving, setSaving] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const put = useCallback((id: string, draft: Draft | null) => {
    if (draft) drafts.current.set(id, draft);
    else if (!drafts.current.delete(id)) return;
    const names = [...drafts.current.values()].flatMap((one) => one.changed);
    setChanged((now) => (now.join('\n') === names.join('\n') ? now : names));
  }, []);
  const save = useCallback(async () => {
    setSaving(true);
    const done: Draft[] = [];
    let complete = true;
    // One after the other: several forms may change the same object.
    const all = Array.from(drafts.current.values());
    for (const draft of all) {
      if (await draft.save()) done.push(draft);
      else complete = false;
    }
    setSaving(false);
    const [first, ...others] = done;
    // Beside a refusal, success would be taken for that of the whole page. The bar names what is left.
    if (first && complete) toastDone((others.length === 0 && first.saved) || t('saved'));
    if (!complete) setRefusals((count) => count + 1);
    return complete;
  }, [t]);
  // When the refusal has been rendered.
  useEffect(() => {
    if (refusals) showFault(place.current ?? document);
  }, [refusals]);
  const discard = useCallback(() => {
    const all = Array.from(drafts.current.values());
    for (const draft of all) draft.discard();
  }, []);
  const value = useMemo(() => ({ changed, saving, put, save, discard }), [changed, saving, put, save, discard]);
  return (
    <DraftsContext value={value}>
      <Box ref={place}>
        {children}
        <SaveBar />
      </Box>
      <LeaveGuard />
    </DraftsContext>
  );
}
