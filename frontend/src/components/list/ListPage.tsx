import type { ReactNode } from 'react';

import { Page } from '@/components/Page';

import { List, type ListProps } from './List';

interface Props<Row, Name extends string> extends Omit<ListProps<Row, Name>, 'label'> {
  title: string;
  subtitle?: ReactNode;
  /** The one primary action. */
  action?: ReactNode;
  /** Between the title and the list. */
  notice?: ReactNode;
  /** Below the list: its modals, or a second list. */
  children?: ReactNode;
}

/** A page that is one list. */
export function ListPage<Row, Name extends string = never>({
  title,
  subtitle,
  action,
  notice,
  children,
  ...list
}: Props<Row, Name>) {
  return (
    <Page title={title} subtitle={subtitle} action={action}>
      {notice}
      <List label={title} {...list} />
      {children}
    </Page>
  );
}
