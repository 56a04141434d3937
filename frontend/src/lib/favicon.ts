export type FaviconState = 'failed' | 'unread' | 'running' | null;

const COLOURS: Record<NonNullable<FaviconState>, string> = { failed: '#e03131', unread: '#1c7ed6', running: '#f08c00' };
const SIZE = 64;

/** What needs a look first: a failure, then news, then work that goes on. */
export function faviconState({
  tasks,
  notifications,
  running,
}: {
  tasks: string | null;
  notifications: string | null;
  running: boolean;
}): FaviconState {
  if (tasks === 'danger' || notifications === 'danger') return 'failed';
  if (notifications !== null) return 'unread';
  return running ? 'running' : null;
}

async function loaded(source: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  image.src = source;
  await image.decode();
  return image;
}

/** Draws the brand's icon with a mark: a dot, or for work that goes on a ring, so that colour is not all that differs. */
export async function markedIcon(icon: string, state: NonNullable<FaviconState>): Promise<string> {
  const canvas = document.createElement('canvas');
  canvas.width = SIZE;
  canvas.height = SIZE;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser cannot draw');
  context.drawImage(await loaded(icon), 0, 0, SIZE, SIZE);
  context.beginPath();
  context.arc(SIZE - 16, SIZE - 16, state === 'running' ? 11 : 15, 0, 2 * Math.PI);
  context.lineWidth = state === 'running' ? 14 : 6;
  context.strokeStyle = '#fff';
  context.stroke();
  if (state === 'running') {
    context.lineWidth = 8;
    context.strokeStyle = COLOURS.running;
    context.stroke();
  } else {
    context.fillStyle = COLOURS[state];
    context.fill();
  }
  return canvas.toDataURL('image/png');
}
