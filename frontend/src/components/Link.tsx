import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { createPath, type To, useHref, useLocation, useNavigate, useResolvedPath } from 'react-router';

interface Props extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  to: To;
}

/** A link to a page of this application. The router's own brings along what its framework loads pages with, which nothing here uses. */
export function Link({ to, onClick, target, ...rest }: Props) {
  const href = useHref(to);
  const here = createPath(useLocation());
  const there = createPath(useResolvedPath(to));
  const navigate = useNavigate();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || opensElsewhere(event, target)) return;
    event.preventDefault();
    // Like a browser: the address of this page again is no new step of the history.
    void navigate(to, { replace: here === there });
  };
  // The children are among the rest.
  // oxlint-disable-next-line jsx-a11y/anchor-has-content
  return <a {...rest} href={href} target={target} onClick={follow} />;
}

/** In another tab or window, or as a file: what browsers do with these keys and buttons. */
function opensElsewhere(
  { button, metaKey, altKey, ctrlKey, shiftKey }: MouseEvent,
  target: string | undefined,
): boolean {
  return button !== 0 || metaKey || altKey || ctrlKey || shiftKey || (target !== undefined && target !== '_self');
}
