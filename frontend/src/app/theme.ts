import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

import type { Brand } from '@/lib/brand';

/** Cool greys like in the light theme: text, borders and three levels of surface. */
const dark: MantineColorsTuple = [
  '#d5d9e0',
  '#b6bcc7',
  '#8d95a3',
  '#767e8c',
  '#3a414c',
  '#2c313a',
  '#21252c',
  '#14161a',
  '#101216',
  '#0b0d10',
];

const DIALOG_HEAD = { header: { role: 'presentation' } };
/** What a key or a script brings into view is not hidden by the sticky head. */
const DIALOG_CONTENT = { scrollPaddingTop: '72px' };
const DIALOG_TITLE = { fontSize: '18px', fontWeight: 600, lineHeight: 1.3 };

export function themeOf({ accent, radius, fontFamily }: Brand) {
  return createTheme({
    primaryColor: 'accent',
    primaryShade: { light: 6, dark: 5 },
    colors: { accent: [...accent] as unknown as MantineColorsTuple, dark },
    fontFamily: fontFamily ?? "'Onest Variable', system-ui, sans-serif",
    fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '28px', lineHeight: '1.3' },
        h2: { fontSize: '20px', lineHeight: '1.3' },
        h3: { fontSize: '16px', lineHeight: '1.3' },
      },
    },
    fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    defaultRadius: radius,
    radius: { md: '8px' },
    cursorType: 'pointer',
    respectReducedMotion: true,
    // Text on the accent is white or black, whichever is readable, since a brand may choose any accent.
    autoContrast: true,
    components: {
      // Within a text, colour alone does not identify a link.
      Anchor: { defaultProps: { underline: 'always' } },
      // Mantine's focus placeholder is an element that screen readers do not expect in a menu; the first item gets the focus.
      Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
      Badge: { defaultProps: { tt: 'none', fw: 500 } },
      Button: { styles: { root: { fontWeight: 500 } } },
      // Where one is: quiet, and the same in all lists of places.
      NavLink: {
        vars: () => ({
          root: {
            '--nl-bg': 'var(--mlp-selected)',
            '--nl-hover': 'var(--mlp-selected)',
            '--nl-color': 'var(--mantine-color-text)',
          },
          children: {},
        }),
      },
      Alert: {
        vars: (_theme: unknown, { color = 'accent' }: { color?: string }) => ({
          root: {
            '--alert-bg': `color-mix(in srgb, var(--mantine-color-${color}-filled) 7%, var(--mantine-color-body))`,
            '--alert-bd': `1px solid color-mix(in srgb, var(--mantine-color-${color}-filled) 30%, var(--mantine-color-body))`,
          },
        }),
      },
      Table: { defaultProps: { verticalSpacing: 7, horizontalSpacing: 10 } },
      Paper: { defaultProps: { radius: 'md' } },
      Card: { defaultProps: { radius: 'md', withBorder: true } },
      // Titles of what opens over the page stand above the labels in it.
      // The page has one banner: the head of a dialog is not another.
      Modal: { styles: { title: DIALOG_TITLE, content: DIALOG_CONTENT }, defaultProps: { attributes: DIALOG_HEAD } },
      Drawer: { styles: { title: DIALOG_TITLE, content: DIALOG_CONTENT }, defaultProps: { attributes: DIALOG_HEAD } },
      // The smallest size of text: Mantine's own hints below labels are a pixel smaller.
      InputWrapper: {
        vars: () => ({
          label: {},
          error: { '--input-error-size': '12px' },
          description: { '--input-description-size': '12px' },
        }),
      },
      // An example of what to type is no error: in red it would look like a wrong value, with less contrast.
      Input: {
        vars: (_theme: unknown, { error }: { error?: unknown }) => ({
          wrapper: error ? { '--input-placeholder-color': 'var(--mantine-color-placeholder)' } : {},
        }),
      },
      Tooltip: { defaultProps: { openDelay: 300 } },
    },
  });
}

/**
 * Colours of series in charts, the last one for the rest. At least 3:1 on all surfaces of their theme, and different from each other
 * also for people who confuse red with green or blue with yellow (a test computes it).
 */
const CHART_LIGHT = ['#0953bd', '#e2685e', '#2999ad', '#4f2154', '#ab1d70', '#845a0a', '#0c4209', '#9e70f2', '#767e8c'];
const CHART_DARK = ['#3a6fe6', '#d04111', '#22bdf0', '#ab3ea8', '#ea93ab', '#f0cb3c', '#76b81e', '#8ff0d0', '#8d95a3'];

const chartColours = (colours: readonly string[]) =>
  Object.fromEntries(
    colours.map((colour, index) => [`--mlp-chart-${index === colours.length - 1 ? 'rest' : index + 1}`, colour]),
  );

/** Mantine's dimmed grey, red and links have less than AA contrast: these have at least 4.5:1 on all surfaces of both themes. */
export function variablesOf({ accent }: Brand): CSSVariablesResolver {
  const [onLight, onDark] = [accent[7] ?? '', accent[3] ?? ''];
  return () => ({
    variables: { '--mlp-page': '1200px', '--mlp-header': '56px' },
    light: {
      ...coloursOf(onLight, '#5c6370', '#c92a2a'),
      ...FILLED_RED,
      ...TINTED_TEXT,
      ...chartColours(CHART_LIGHT),
      '--mantine-color-body': '#ffffff',
      '--mlp-surface': '#f6f7f9',
      '--mlp-selected': '#eceef2',
      '--mlp-border': '#e3e5ea',
      '--mlp-control-border': '#7f8794',
      '--mlp-band': onLight,
    },
    dark: {
      ...coloursOf(onDark, '#a3a9b5', '#ff8787'),
      ...FILLED_RED,
      '--mantine-color-red-light-color': '#ff8787',
      ...chartColours(CHART_DARK),
      '--mantine-color-body': '#14161a',
      '--mlp-surface': '#1b1e24',
      '--mlp-selected': '#262a32',
      '--mlp-border': '#2c313a',
      '--mlp-control-border': '#6f7784',
      '--mlp-band': accent[9] ?? '',
    },
  });
}

/** White on Mantine's own has less than AA contrast. */
const FILLED_RED = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' };

/** Text on a tint of its own colour, in the light theme. */
const TINTED_TEXT = {
  '--mantine-color-green-light-color': '#1f6b30',
  '--mantine-color-red-light-color': '#b02525',
  '--mantine-color-yellow-light-color': '#7d5200',
  '--mantine-color-blue-light-color': '#1862ab',
};

function coloursOf(link: string, dimmed: string, error: string) {
  return {
    '--mlp-accent-text': link,
    '--mantine-color-anchor': link,
    '--mantine-color-dimmed': dimmed,
    '--mantine-color-placeholder': dimmed,
    '--mantine-color-error': error,
    '--mantine-color-red-text': error,
  };
}
