/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the elements of HTML cannot be searched in, grouped and drawn like this */
import { Kbd, Text } from '@mantine/core';
import {
  IconArrowRight,
  IconBolt,
  IconBox,
  IconClock,
  IconKey,
  IconLayoutGrid,
  IconServer2,
  IconSwitchHorizontal,
  IconUsers,
} from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { elementOf, type GroupName, type Item } from './items';
import classes from './Palette.module.css';

const ICONS: Record<GroupName, typeof IconBox> = {
  recent: IconClock,
  pages: IconArrowRight,
  actions: IconBolt,
  administered: IconUsers,
  own: IconBox,
  catalogue: IconLayoutGrid,
  groups: IconServer2,
  keys: IconKey,
  accounts: IconSwitchHorizontal,
};

interface Props {
  list: string;
  groups: readonly { name: GroupName; items: readonly Item[] }[];
  /** The last line: the same search on the catalogue's page. */
  elsewhere: Item | null;
  active: string | null;
  onChoose: (id: string) => void;
  onOpen: (item: Item) => void;
}

/** The lines of the palette. The keyboard stays in the field; the active line is named there. */
export function Options({ list, groups, elsewhere, active, onChoose, onOpen }: Props) {
  const { t } = useTranslation('Palette');
  const line = (item: Item) => (
    <Line
      key={item.id}
      id={elementOf(list, item)}
      item={item}
      active={item.id === active}
      onChoose={() => onChoose(item.id)}
      onOpen={() => onOpen(item)}
    />
  );
  return (
    <div id={list} role="listbox" aria-label={t('title')} tabIndex={-1} className={classes.list}>
      {groups.map(({ name, items }) => (
        <div key={name} role="group" aria-labelledby={`${list}-of-${name}`}>
          <Text id={`${list}-of-${name}`} size="xs" c="dimmed" className={classes.heading ?? ''}>
            {t(`group.${name}`)}
          </Text>
          {items.map(line)}
        </div>
      ))}
      {elsewhere && line(elsewhere)}
    </div>
  );
}

interface LineProps {
  id: string;
  item: Item;
  active: boolean;
  onChoose: () => void;
  onOpen: () => void;
}

function Line({ id, item, active, onChoose, onOpen }: LineProps) {
  const Icon = ICONS[item.group];
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) line.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys: it names this line as its active descendant
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={active}
      tabIndex={-1}
      className={classes.line}
      onMouseMove={active ? undefined : onChoose}
      onClick={onOpen}
    >
      <Icon size={16} stroke={1.5} aria-hidden />
      <span className={classes.name}>{item.title}</span>
      {item.hint && <span className={classes.hint}>{item.hint}</span>}
      {item.keys && (
        <span className={classes.keys} aria-hidden>
          {item.keys.split(' ').map((key, place) => (
            <Kbd key={`${place} ${key}`} size="xs">
              {key}
            </Kbd>
          ))}
        </span>
      )}
    </div>
  );
}
