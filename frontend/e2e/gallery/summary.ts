import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FullResult, Reporter } from '@playwright/test/reporter';

interface Facts {
  screen: string;
  name: string;
  broken: string[];
  opened: boolean;
  overflow: number;
  /** What is cut off, broken or out of reach on a phone; pictures of before have none. */
  layout?: string[];
  /** null: axe was not run. */
  violations: { id: string; impact: string | null; nodes: { target: string; html: string }[] }[] | null;
}

const FOLDER = join(import.meta.dirname, '../screens');

/** Writes `e2e/screens/summary.md` of all screenshots that are there, and prints it. The run fails if one of its own has a fault. */
export default class Summary implements Reporter {
  #began = 0;

  onBegin(): void {
    this.#began = Date.now();
  }

  async onEnd(): Promise<{ status: FullResult['status'] } | undefined> {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .map((file) => join(FOLDER, file));
    const shots = files.map(read);
    const text = [
      `# ${shots.length} screenshots`,
      ...table(shots),
      ...list(
        'Errors of scripts',
        shots.flatMap((shot) => shot.broken.map((message) => `${where(shot)}: ${message}`)),
      ),
      ...list(
        'Wider than the window',
        shots.filter(({ overflow }) => overflow > 0).map((shot) => `${where(shot)}: ${shot.overflow} px`),
      ),
      ...list(
        'Cut off, broken or out of reach on a phone',
        shots.flatMap((shot) => (shot.layout ?? []).map((fault) => `${where(shot)}: ${fault}`)),
      ),
      ...list('Nothing to open', shots.filter(({ opened }) => !opened).map(where)),
    ].join('\n');
    writeFileSync(join(FOLDER, 'summary.md'), `${text}\n`);
    console.warn(`\n${text}\n`);
    return files.some((file) => statSync(file).mtimeMs >= this.#began && hasFault(read(file)))
      ? { status: 'failed' }
      : undefined;
  }

  printsToStdio(): boolean {
    return false;
  }
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Facts;

const hasFault = ({ broken, overflow, layout, violations }: Facts) =>
  broken.length > 0 || overflow > 0 || (layout ?? []).length > 0 || (violations ?? []).length > 0;

const where = ({ screen, name }: Facts) => `${screen}/${name}`;

function rules(
  shots: Facts[],
): Map<string, { impact: string; elements: Set<string>; screens: Set<string>; sample: string }> {
  const found = new Map<string, { impact: string; elements: Set<string>; screens: Set<string>; sample: string }>();
  for (const shot of shots) {
    for (const { id, impact, nodes } of shot.violations ?? []) {
      const one = found.get(id) ?? {
        impact: impact ?? '',
        elements: new Set(),
        screens: new Set(),
        sample: nodes[0]?.html ?? '',
      };
      nodes.forEach(({ target }) => one.elements.add(`${shot.screen} ${target}`));
      one.screens.add(shot.screen);
      found.set(id, one);
    }
  }
  return found;
}

function table(shots: Facts[]): string[] {
  const found = rules(shots);
  const unseen = shots.filter(({ violations }) => violations === null).length;
  const left = unseen === 0 ? [] : ['', `axe did not run on ${unseen} of them.`];
  if (found.size === 0) return unseen === shots.length ? left : [...left, '', 'axe found nothing.'];
  const rows = [...found].map(
    ([id, { impact, elements, screens, sample }]) =>
      `| ${id} | ${impact} | ${elements.size} | ${[...screens].join(', ')} | \`${sample.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 120)}\` |`,
  );
  return [...left, '', '| axe rule | impact | elements | screens | first |', '|---|---|---|---|---|', ...rows];
}

function list(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map((line) => `* ${line}`)];
}
