/** The keys of the palette as they are named on the visitor's keyboard. */
export function paletteKeys(platform: string = navigator.platform): readonly string[] {
  return /mac|iphone|ipad/i.test(platform) ? ['⌘', 'K'] : ['Ctrl', 'K'];
}
