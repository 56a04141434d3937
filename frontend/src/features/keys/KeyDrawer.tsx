import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { CloseQuestion } from './CloseQuestion';
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
  created: AccessTokenData | null;
  /** The new key was copied or downloaded. */
  kept: boolean;
  /** The form has what would be lost. */
  unsaved: boolean;
  /** The form is on its way: closing waits for the answer. */
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
  const asked = created ? 'copied' : edited === 'new' ? 'discard' : 'unsaved';
  return (
    <>
      <Drawer
        opened={edited !== null}
        onClose={leave}
        position="right"
        size="lg"
        title={t(title)}
        styles={ABOVE_FOOTER}
        closeOnEscape={!asking}
        closeOnClickOutside={!created}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {created ? (
          <NewKey account={account} created={created} onKept={keep} onDone={close} />
        ) : (
          edited && (
            <KeyForm
              account={account}
              edited={edited === 'new' ? null : edited}
              onUnsaved={(lost) => change({ unsaved: lost })}
              onSending={(going) => change({ sending: going })}
              onCreated={(key) => change({ created: key })}
              onChanged={close}
            />
          )
        )}
      </Drawer>
      {/* Not there before: the Escape that opens it would close it too. */}
      {asking && (
        <CloseQuestion
          title={t(`${asked}Title`)}
          text={t(`${asked}Hint`)}
          action={t(created ? 'closeUncopied' : 'App:close')}
          onStay={stay}
          onClose={close}
        />
      )}
    </>
  );
}
