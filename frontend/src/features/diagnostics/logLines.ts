/** Lines of a log as they are shown: those that hold the words, with the level that they seem to have. */
export interface LogLine {
  /** Its place in the whole log, from 1. */
  number: number;
  text: string;
  level: 'error' | 'warning' | 'plain';
}

const MOST_LINES = 5000;

function levelOf(text: string): LogLine['level'] {
  if (/\b(ERROR|CRITICAL|FATAL|Traceback|panic)\b/.test(text)) return 'error';
  return /\bWARN(ING)?\b/.test(text) ? 'warning' : 'plain';
}

/** The newest ones, when there are more than can be shown. Without regard to case. */
export function logLines(log: string, words: string, worst: 'all' | 'warning' | 'error' = 'all'): LogLine[] {
  const wanted = words.trim().toLowerCase();
  const lines = log.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const found = lines.flatMap((text, index): LogLine[] => {
    const level = levelOf(text);
    const severe = worst === 'all' || level === 'error' || (worst === 'warning' && level === 'warning');
    return severe && (!wanted || text.toLowerCase().includes(wanted)) ? [{ number: index + 1, text, level }] : [];
  });
  return found.slice(-MOST_LINES);
}
