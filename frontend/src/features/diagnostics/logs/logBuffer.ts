import type { InstanceLogTailData } from '@/api/generated/core.gen';

export type Level = 'error' | 'warning' | 'plain';

export interface LogLine {
  /** From 1, in all that was read of the run. */
  number: number;
  text: string;
  level: Level;
  /** Stands for output that the platform no longer had when it was asked for. */
  gap: boolean;
}

/** Older lines are forgotten: four minutes of 5,000 lines. */
export const MOST_LINES = 20_000;

export function levelOf(text: string): Level {
  if (/\b(ERROR|CRITICAL|FATAL|Traceback|panic)\b/.test(text)) return 'error';
  return /\bWARN(ING)?\b/.test(text) ? 'warning' : 'plain';
}

/** The output of a run as lines. It grows by the pieces that the platform sends. */
export class LogBuffer {
  /** The same array until something is added. */
  lines: readonly LogLine[] = [];
  run: string | null = null;
  /** Position behind what was read. */
  end = 0;
  private count = 0;
  /** The last line, if its end has not come yet. */
  private open = '';

  /** Returns whether anything has changed. */
  add({ run, start, end, text }: InstanceLogTailData): boolean {
    const other = run !== this.run;
    if (!other && text === '') return false;
    const changed = text !== '' || this.lines.length > 0;
    const known = other ? [] : this.lines.slice(0, this.open === '' ? undefined : -1);
    if (other) {
      this.count = 0;
      this.open = '';
    } else if (this.open !== '') this.count -= 1;
    const gap = !other && start > this.end;
    if (gap) {
      if (this.open !== '') known.push(this.line(this.open));
      known.push({ ...this.line(''), gap: true });
      this.open = '';
    }
    const texts = (this.open + text).split('\n');
    this.open = texts.at(-1) ?? '';
    if (this.open === '') texts.pop();
    for (const one of texts) known.push(this.line(one));
    this.lines = known.length > MOST_LINES ? known.slice(-MOST_LINES) : known;
    this.run = run;
    this.end = end;
    return changed;
  }

  private line(text: string): LogLine {
    this.count += 1;
    return { number: this.count, text, level: levelOf(text), gap: false };
  }
}

/** Ignores case. Without a condition it is the given array itself. */
export function matching(
  lines: readonly LogLine[],
  words: string,
  worst: 'all' | 'warning' | 'error' = 'all',
): readonly LogLine[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '' && worst === 'all') return lines;
  return lines.filter(({ text, level }) => {
    const severe = worst === 'all' || level === 'error' || (worst === 'warning' && level === 'warning');
    return severe && (wanted === '' || text.toLowerCase().includes(wanted));
  });
}
