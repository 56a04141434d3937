import type { ShownState } from './platform';

interface Options {
  only: string[];
  states: ShownState[];
  themes: ('light' | 'dark')[];
  widths: number[];
  languages: ('ru' | 'en')[];
  axe: boolean;
}

/** Read by scripts/screens.mjs from the command line. */
export const chosen: Options = {
  only: [],
  states: ['empty', 'typical', 'crowded', 'error'],
  themes: ['light', 'dark'],
  widths: [320, 390, 768, 1024, 1440],
  languages: ['ru', 'en'],
  axe: true,
  ...(JSON.parse(process.env['SCREENS'] ?? '{}') as Partial<Options>),
};
