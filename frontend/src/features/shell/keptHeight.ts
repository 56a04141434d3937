const keyOf = (name: string) => `height:${name}`;

/** The height that `name` had when this browser showed it last, in pixels. 0: it showed nothing, or in a window of another width. */
export function heightOf(storage: Storage, name: string, windowWidth: number): number {
  const [width, height] = (storage.getItem(keyOf(name)) ?? '').split(' ').map(Number);
  return width === windowWidth && height !== undefined && Number.isFinite(height) ? height : 0;
}

export function keepHeight(storage: Storage, name: string, windowWidth: number, height: number): void {
  if (height > 0) storage.setItem(keyOf(name), `${windowWidth} ${height}`);
  else storage.removeItem(keyOf(name));
}
