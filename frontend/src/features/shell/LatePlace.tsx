import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

import { heightOf, keepHeight } from './keptHeight';
import classes from './Shell.module.css';

interface Props {
  /** What this browser remembers its height by. */
  name: string;
  /** Whether it is certain by now what belongs here, or that nothing does. */
  known: boolean;
  children: ReactNode;
}

/**
 * The place of what arrives late above the page. It is as high from the first paint on as what was here last time. What was not here
 * last time stays at the bottom of the window until the next page is opened. So nothing that is being read moves down or up.
 */
export function LatePlace({ name, known, children }: Props) {
  const { pathname } = useLocation();
  const [page, setPage] = useState(pathname);
  const [height, setHeight] = useState(() => heightOf(localStorage, name, window.innerWidth));
  if (page !== pathname) {
    setPage(pathname);
    setHeight(heightOf(localStorage, name, window.innerWidth));
  }
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shown = content.current;
    if (!known || !shown) return undefined;
    // Its own height too changes late: texts of another language, a narrower window.
    const observer = new ResizeObserver(() => keepHeight(localStorage, name, window.innerWidth, shown.offsetHeight));
    observer.observe(shown);
    return () => observer.disconnect();
  }, [known, name]);
  return (
    <div className={height > 0 ? undefined : classes.late} style={{ minHeight: height }}>
      <div ref={content}>{children}</div>
    </div>
  );
}
