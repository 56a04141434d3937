import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';

import { KeyForm } from './KeyForm';
import { NewKey } from './NewKey';

interface Props {
  account: string;
  /** `null`: the drawer is closed. */
  edited: AccessTokenData | 'new' | null;
  onClose: () => void;
}

const START = { created: null, kept: false, unsaved: false, sending: false, asking: false };

interface State {
  created: { token: string; forPages: boolean } | null;
  /** The new key was copied or downloaded. */
  kept: boolean;
  /** The form of a new key has what would be lost. */
  unsaved: boolean;
  /** A new key is on its way: closing waits for it. */
  sending: boolean;
  asking: boolean;
}

/** What a browser brings into view is not hidden by the form's button. */
const ABOVE_FOOTER = { content: { scrollPaddingBottom: '76px' } };

/** Creates or changes a key. The secret is shown once, right after creation, so closing asks first while nobody has it, except by the button that says so. */
export function KeyDrawer({ account, edited, onClose }: Props) {
  const { t } = useTranslation('Keys');
  const [{ created, kept, unsaved, sending, asking }, setState] = useState<State>(START);
  const change = (part: Partial<State>) => setState((state) => ({ ...state, ...part }));
  const close = () => {
    setState(START);
    onClose();
  };
  const leave = () => {
    if (sending) return;
    if (created ? !kept : unsaved) change({ asking: true });
    else close();
  };
  // Not a new state each time: whoever copies tells it with each render.
  const keep = () => setState((state) => (state.kept ? state : { ...state, kept: true }));
  const stay = () => change({ asking: false });
  const title = created ? 'created' : edited === 'new' ? 'create' : 'edit';
  return (
    <>
      <Drawer opened={edited !== null} onClose={leave} position="right" size="lg" title={t(title)} styles={ABOVE_FOOTER} closeOnEscape={!created && !asking} closeOnClickOutside={!created} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {created ? (
          <NewKey {...created} onKept={keep} onDone={close} />
        ) : (
          edited && <KeyForm account={account} edited={edited === 'new' ? null : edited} onUnsaved={(lost) => change({ unsaved: edited === 'new' && lost })} onSending={(going) => change({ sending: going })} onCreated={(token, forPages) => change({ created: { token, forPages } })} onChanged={close} />
        )}
      </Drawer>
      {/* Not there before: the Escape that opens it would close it too. */}
      {asking && (
        <Confirm opened onClose={stay} title={t(created ? 'copiedTitle' : 'discardTitle')} action={t(created ? 'closeUncopied' : 'discard')} onConfirm={close}>
          {t(created ? 'copiedHint' : 'discardHint')}
        </Confirm>
      )}
    </>
  );
}
