/** In the order of the page: a control with an error, or the text of an error of a group of controls. */
const FAULTS = '[aria-invalid="true"], .mantine-InputWrapper-error';
const CONTROLS =
  'input:not([type="hidden"]):enabled, textarea:enabled, select:enabled, [contenteditable="true"], button:enabled';

/** Brings the first field with an error into view, with the focus; without one, the refusal itself. */
export function showFault(place: ParentNode): void {
  const found = place.querySelector<HTMLElement>(FAULTS);
  const field = found?.matches('[aria-invalid]')
    ? found
    : found?.closest('.mantine-InputWrapper-root')?.querySelector<HTMLElement>(CONTROLS);
  if (field) return field.focus();
  const refusal = place.querySelector<HTMLElement>('[data-problem]');
  refusal?.scrollIntoView({ block: 'center' });
  if (isLost(document.activeElement)) refusal?.focus({ preventScroll: true });
}

/** A button that is disabled while it sends loses the focus to the page. */
function isLost(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.matches(':disabled');
}
