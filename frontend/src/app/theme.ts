import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

import type { Brand } from '@/lib/brand';

/** Greys with a cool tint, as in the light theme: text, borders and three levels of surface. */
const dark: MantineColorsTuple = ['#d5d9e0', '#b6bcc7', '#8d95a3', '#767e8c', '#3a414c', '#2c313a', '#21252c', '#14161a', '#101216', '#0b0d10'];

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
    // Texts on the accent are white or black, whichever can be read: a brand chooses its accent freely.
    autoContrast: true,
    components: {
      // Within a text the colour alone does not tell a link.
      Anchor: { defaultProps: { underline: 'always' } },
      Paper: { defaultProps: { radius: 'md' } },
      Card: { defaultProps: { radius: 'md', withBorder: true } },
      Tooltip: { defaultProps: { openDelay: 300 } },
    },
  });
}

/** Mantine's dimmed grey is 3.3:1 on white, below AA: these are 4.5:1 and more on both themes' surfaces. */
export function variablesOf({ accent }: Brand): CSSVariablesResolver {
  return () => ({
    variables: { '--mlp-page': '1200px', '--mlp-header': '56px' },
    light: { '--mantine-color-dimmed': '#5c6370', '--mantine-color-body': '#ffffff', '--mlp-surface': '#f6f7f9', '--mlp-border': '#e3e5ea', '--mlp-accent-text': accent[7] ?? '', '--mlp-band': accent[7] ?? '' },
    dark: { '--mantine-color-dimmed': '#a3a9b5', '--mantine-color-body': '#14161a', '--mlp-surface': '#1b1e24', '--mlp-border': '#2c313a', '--mlp-accent-text': accent[3] ?? '', '--mlp-band': accent[9] ?? '' },
  });
}
