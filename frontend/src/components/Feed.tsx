import { ActionIcon, Popover, ScrollArea, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Empty } from './Empty';
import { IndicatorDot } from './IndicatorDot';

/** Section of texts with `title`, `titleUnread`, `tone`, `tab`, `none` and `noneHint`. */
type Texts = 'Notifications' | 'Tasks';

interface PopoverProps {
  texts: Texts;
  icon: ReactNode;
  width: number;
  tone: 'danger' | 'warning' | 'info' | null;
  children: (close: () => void) => ReactNode;
}

/** A header button with a dot for unread items, and the list that it opens. */
export function FeedPopover({ texts, icon, width, tone, children }: PopoverProps) {
  const { t } = useTranslation(texts);
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={`min(${width}px, calc(100vw - 16px))`}
      shadow="md"
      hideDetached={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          pos="relative"
          aria-label={tone ? t('titleUnread', { state: t(`tone.${tone}`) }) : t('title')}
          onClick={() => setOpened((now) => !now)}
        >
          {icon}
          <IndicatorDot tone={tone} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0}>{children(() => setOpened(false))}</Popover.Dropdown>
    </Popover>
  );
}

interface TabsProps<Tab extends string> {
  texts: Texts;
  tabs: readonly Tab[];
  tab: Tab;
  onTab: (tab: Tab) => void;
  /** Rows of the tab; without rows it shows a text. */
  children: readonly ReactNode[];
}

export function FeedTabs<Tab extends string>({ texts, tabs, tab, onTab, children }: TabsProps<Tab>) {
  const { t } = useTranslation(texts);
  const choose = (value: string | null) => {
    const known = tabs.find((one) => one === value);
    if (known) onTab(known);
  };
  return (
    <Tabs value={tab} onChange={choose}>
      <Tabs.List grow aria-label={t('title')}>
        {tabs.map((value) => (
          <Tabs.Tab key={value} value={value}>
            {t(`tab.${value}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        <ScrollArea.Autosize
          mah="60vh"
          scrollbars="y"
          styles={{ content: { display: 'block', minWidth: 0 } }}
          viewportProps={{ tabIndex: 0, 'aria-label': t('title') }}
        >
          {children.length === 0 ? <Empty title={t('none')}>{t('noneHint')}</Empty> : children}
        </ScrollArea.Autosize>
      </Tabs.Panel>
    </Tabs>
  );
}
