import classes from './rows.module.css';

/** `classNames` of a Mantine input: label and explanation on the left, control on the right; one column on phones. */
export const ROW = {
  root: classes.row ?? '',
  label: classes.label ?? '',
  description: classes.hint ?? '',
  wrapper: classes.control ?? '',
  error: classes.error ?? '',
};

/** The same for a control of a few characters. */
export const NARROW = { ...ROW, wrapper: `${ROW.wrapper} ${classes.narrow ?? ''}` };

/** The same for a number with a longer placeholder. */
export const MEDIUM = { ...ROW, wrapper: `${ROW.wrapper} ${classes.medium ?? ''}` };

/** Around a control and a note beside it. */
export const WITH_NOTE = classes.withNote ?? '';

/** Around rows: they are one column where it is narrow. */
export const AROUND_ROWS = classes.around ?? '';

/** The same for a switch. */
export const SWITCH_ROW = {
  root: classes.switchRow ?? '',
  body: classes.switchBody ?? '',
  labelWrapper: classes.switchText ?? '',
  label: classes.switchText ?? '',
  track: classes.switchTrack ?? '',
  description: classes.switchHint ?? '',
  error: classes.switchHint ?? '',
};
