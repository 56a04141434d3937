import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

import type { Brand } from '@/lib/brand';

/** Cool greys like in the light theme: text, borders and three levels of surface. */
const dark: MantineColorsTuple = ['#d5d9e0', '#b6bcc7', '#8d95a3', '#767e8c', '#3a414c', '#2c313a', '#21252c', '#14161a', '#101216', '#0b0d10'];

const DIALOG_TITLE = { fontSize: '18px', fontWeight: 600, lineHeight: 1.3 };

export function themeOf({ accent, radius, fontFamily }: Brand) {
  return createTheme({
    primaryColor: 'accent',
    primaryShade: { light: 6, dark: 5 },
    colors: { accent: [...accent] as unknown as MantineColorsTuple, dark },
    fontFamily: fontFamily ?? "'Onest Variable', system-ui, sans-serif",
    fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
    headings: { fontWeight: '600', sizes: { h1: { fontSize: '28px', lineHeight: '1.3' }, h2: { fontSize: '20px', lineHeight: '1.3' }, h3: { fontSize: '16px', lineHeight: '1.3' } } },
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
      Paper: { defaultProps: { radius: 'md' } },
      Card: { defaultProps: { radius: 'md', withBorder: true } },
      // Titles of what opens over the page stand above the labels in it.
      Modal: { styles: { title: DIALOG_TITLE } },
      Drawer: { styles: { title: DIALOG_TITLE } },
      Tooltip: { defaultProps: { openDelay: 300 } },
    },
  });
}

/**
 * Colours of series in charts, the last one for the rest. At least 3:1 on all surfaces of their theme, and different from each other
 * also for people who confuse red with green or blue with yellow (a test computes it).
 */
const CHART_LIGHT = ['#1f3ead', '#c47b20', '#239e84', '#69396a', '#3d749f', '#865f13', '#7d2618', '#9377f2', '#767e8c'];
const CHART_DARK = ['#7192ea', '#966d2b', '#9ae9b4', '#c1388c', '#6bc2e9', '#fccf2f', '#f87e77', '#6c5ee3', '#8d95a3'];

const chartColours = (colours: readonly string[]) =>
  Object.fromEntries(colours.map((colour, index) => [`--mlp-chart-${index === colours.length - 1 ? 'rest' : index + 1}`, colour]));

/** Mantine's dimmed grey, red and links have less than AA contrast: these have at least 4.5:1 on all surfaces of both themes. */
export function variablesOf({ accent }: Brand): CSSVariablesResolver {
  const [onLight, onDark] = [accent[7] ?? '', accent[3] ?? ''];
  return () => ({
    variables: { '--mlp-page': '1200px', '--mlp-header': '56px' },
    light: { ...coloursOf(onLight, '#5c6370', '#c92a2a'), ...chartColours(CHART_LIGHT), '--mantine-color-body': '#ffffff', '--mlp-surface': '#f6f7f9', '--mlp-border': '#e3e5ea', '--mlp-band': onLight },
    dark: { ...coloursOf(onDark, '#a3a9b5', '#ff8787'), ...chartColours(CHART_DARK), '--mantine-color-body': '#14161a', '--mlp-surface': '#1b1e24', '--mlp-border': '#2c313a', '--mlp-band': accent[9] ?? '' },
  });
}

function coloursOf(link: string, dimmed: string, error: string) {
  return { '--mlp-accent-text': link, '--mantine-color-anchor': link, '--mantine-color-dimmed': dimmed, '--mantine-color-error': error, '--mantine-color-red-text': error };
}
