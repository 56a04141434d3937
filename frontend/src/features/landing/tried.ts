import { inputKind } from '@/lib/taskTypes';

/** The request is one text field, or JSON that people edit: nothing must be recorded or uploaded. */
export function isTriedAsText(taskType: string): boolean {
  return ['text', 'texts', 'json'].includes(inputKind(taskType));
}

/** Of the placeholder of an example: in pixels, as with a short request. */
export const EXAMPLE_HEIGHT = 340;
