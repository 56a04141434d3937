import { useWindowEvent } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';

import { useSession } from '@/lib/session';

import { placesOf } from './places';
import { askedBy, isTyping } from './shortcuts';

export type Overlay = 'palette' | 'help' | null;

/** The time for the letter after `g`. */
const PATIENCE_MS = 1500;

/** The first visible search field of the page. */
function searchField(): HTMLElement | null {
  const fields = [...document.querySelectorAll<HTMLElement>('main input[type=search]')];
  return fields.find((field) => !field.closest('[hidden], [aria-hidden=true]')) ?? null;
}

/** The keys that work on every page: see the keyboard help. Returns which overlay they opened. */
export function useShortcuts() {
  const [overlay, setOverlay] = useState<Overlay>(null);
  const session = useSession();
  const navigate = useNavigate();
  const wentAt = useRef(-Infinity);

  const goTo = (code: string, letter: string): boolean => {
    const waited = Date.now() - wentAt.current;
    wentAt.current = -Infinity;
    if (waited > PATIENCE_MS) return false;
    const place =
      placesOf(session).find((known) => known.letter === letter) ??
      placesOf(session).find((known) => known.code === code);
    if (place) void navigate(place.to);
    return place !== undefined;
  };

  useWindowEvent('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const asked = askedBy(event);
    if (asked === 'palette') {
      event.preventDefault();
      return setOverlay('palette');
    }
    // A dialog has its own keys.
    if (
      isTyping(event.target) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector('[role=dialog][aria-modal=true]')
    )
      return;
    if (goTo(event.code, event.key.toLowerCase())) return event.preventDefault();
    if (asked === 'go') wentAt.current = Date.now();
    if (asked === 'help') setOverlay('help');
    if (asked === 'search') {
      const field = searchField();
      event.preventDefault();
      if (field) field.focus();
      else setOverlay('palette');
    }
  });
  return { overlay, open: setOverlay, close: () => setOverlay(null) };
}
