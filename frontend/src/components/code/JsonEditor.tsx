import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';

import classes from './JsonEditor.module.css';

const faults = jsonParseLinter();

interface Props {
  value: string;
  label: string;
  onChange?: (value: string) => void;
  /** Called on Ctrl+Enter or Cmd+Enter. */
  onRun?: () => void;
}

/** CodeMirror with JSON highlighting and linting. Read-only without `onChange`. Loaded when first needed. */
export default function JsonEditor({ value, label, onChange, onRun }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ onChange, onRun });
  useEffect(() => {
    latest.current = { onChange, onRun };
  });
  useEffect(() => {
    const readOnly = new Compartment();
    const editor = new EditorView({
      parent: place.current ?? undefined,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          json(),
          syntaxHighlighting(defaultHighlightStyle),
          EditorView.lineWrapping,
          // The tab stop lets the keyboard scroll long content.
          EditorView.contentAttributes.of({
            'aria-label': label,
            tabindex: '0',
            ...(onChange ? {} : { 'aria-readonly': 'true' }),
          }),
          readOnly.of(EditorState.readOnly.of(!onChange)),
          ...(onChange ? [linter((shown) => (shown.state.doc.length ? faults(shown) : []))] : []),
          keymap.of([
            { key: 'Mod-Enter', run: () => (latest.current.onRun?.(), true) },
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
    // oxlint-disable-next-line react/exhaustive-deps -- the editor lives as long as the component
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }
  }, [value]);
  return <div ref={place} className={classes.editor} />;
}
