import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { type To } from 'react-router';

import { scrollToCentre } from '@/lib/scrollToCentre';

import { Link } from './Link';
import classes from './RoutedTabs.module.css';

export interface RoutedTab<Name extends string> {
  name: Name;
  label: string;
  to: To;
  /** A count or a mark beside the label. */
  aside?: ReactNode;
}

interface Props<Name extends string> {
  /** What the tabs divide, for screen readers. */
  label: string;
  tabs: readonly RoutedTab<Name>[];
  current: Name;
  /** The panel of the current tab. */
  children?: ReactNode;
}

/** Tabs that are links: each has its address, opens in a new window, and the back button returns to it. Arrow keys move between them. */
export function RoutedTabs<Name extends string>({ label, tabs, current, children }: Props<Name>) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => scrollToCentre(row.current, `[data-name="${current}"]`), [current]);
  return (
    <Tabs value={current} keepMounted={false}>
      <Tabs.List ref={row} aria-label={label} mb={children ? 'lg' : undefined} className={classes.row ?? ''}>
        {tabs.map(({ name, label: text, to, aside }) => (
          <Tabs.Tab
            key={name}
            value={name}
            data-name={name}
            rightSection={aside}
            className={classes.tab ?? ''}
            renderRoot={(props) => <Link {...props} to={to} type={undefined} />}
          >
            {text}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children && <Tabs.Panel value={current}>{children}</Tabs.Panel>}
    </Tabs>
  );
}
