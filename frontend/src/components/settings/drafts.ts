import { createContext, useContext, useEffect, useId } from 'react';

/** Unsaved changes of one form. A page may have several; they are saved and discarded together. */
export interface Draft {
  /** Names of what changed, for people; empty: nothing. */
  changed: readonly string[];
  /** Returns false if it was not saved: the form shows why. */
  save: () => Promise<boolean>;
  discard: () => void;
  /** Said after saving, instead of the general text. */
  saved?: string;
}

export interface Drafts {
  /** Names of all changes on the page. */
  changed: readonly string[];
  saving: boolean;
  put: (id: string, draft: Draft | null) => void;
  save: () => Promise<boolean>;
  discard: () => void;
}

export const DraftsContext = createContext<Drafts | null>(null);

export function useDrafts(): Drafts {
  const drafts = useContext(DraftsContext);
  if (!drafts) throw new Error('a form of settings needs a SaveScope around it');
  return drafts;
}

/** Tells the page what this form would save. */
export function useDraft(draft: Draft): void {
  const id = useId();
  const { put } = useDrafts();
  useEffect(() => {
    put(id, draft.changed.length ? draft : null);
  });
  useEffect(() => () => put(id, null), [id, put]);
}

const SHOWN = 4;

/** The first names, in the middle of a sentence, and how many there are besides. */
export function namesShown(names: readonly string[]): { names: string; more: number } {
  const unique = [...new Set(names)];
  return { names: unique.slice(0, SHOWN).map(inSentence).join(', '), more: Math.max(unique.length - SHOWN, 0) };
}

/** Abbreviations and names such as GPU or MongoDB keep their capital letters. */
function inSentence(name: string): string {
  const [first = ''] = name.split(/[\s,]/);
  return /^\p{Lu}[\p{Ll}-]*$/u.test(first) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}
