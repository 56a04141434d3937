/** Lines of a log for display: those that contain the search text, each with its apparent level. */
export interface LogLine {
  /** Line number in the whole log, from 1. */
  number: number;
  text: string;
  level: 'error' | 'warning' | 'plain';
}

const MOST_LINES = 5000;

function levelOf(text: string): LogLine['level'] {
  if (/\b(ERROR|CRITICAL|FATAL|Traceback|panic)\b/.test(text)) return 'error';
  return /\bWARN(ING)?\b/.test(text) ? 'warning' : 'plain';
}

/** The newest lines if there are too many to show. Ignores case. */
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
