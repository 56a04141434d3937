import { useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';

import { api, type Problem } from '@/api';
import type { DatasetInfoData } from '@/api/generated/core.gen';
import { sendFile } from '@/lib/sendFile';

export interface Upload {
  /** From 0 to 1 while a file is sent; then null. At 1 the server checks the content. */
  progress: number | null;
  problem: Problem | null;
  /** The file that was sent last. */
  file: File | null;
  /** How often a file was refused. */
  refusals: number;
  /** Returns null if it was refused or cancelled. */
  send: (url: string, file: File) => Promise<DatasetInfoData | null>;
  cancel: () => void;
  clear: () => void;
}

/** Sends one file at a time. Leaving the page cancels it. */
export function useUpload(): Upload {
  const dispatch = useDispatch();
  const [progress, setProgress] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [sent, setSent] = useState<File | null>(null);
  const [refusals, setRefusals] = useState(0);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const send: Upload['send'] = async (url, file) => {
    const controller = new AbortController();
    current.current = controller;
    setProblem(null);
    setSent(file);
    setProgress(0);
    const body = new FormData();
    body.append('file', file);
    const { data, error } = await sendFile<DatasetInfoData>({
      method: 'POST',
      url,
      body,
      onProgress: setProgress,
      signal: controller.signal,
    });
    setProgress(null);
    setProblem(error ?? null);
    if (error) setRefusals((count) => count + 1);
    if (!data) return null;
    dispatch(api.util.invalidateTags(['Datasets']));
    return data;
  };
  const cancel = () => current.current?.abort();
  return { progress, problem, file: sent, refusals, send, cancel, clear: () => setProblem(null) };
}
