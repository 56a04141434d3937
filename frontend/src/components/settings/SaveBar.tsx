import { Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { namesShown, useDrafts } from './drafts';
import classes from './rows.module.css';

/** Appears when something changed, and names it. */
export function SaveBar() {
  const { t } = useTranslation('Unsaved');
  const { changed, saving, save, discard } = useDrafts();
  if (changed.length === 0) return null;
  return (
    <section className={classes.bar} aria-label={t('region')}>
      <Text className={classes.barText ?? ''} component="output">
        <Changed names={changed} />
      </Text>
      <div className={classes.barButtons}>
        <Button variant="default" disabled={saving} onClick={discard}>
          {t('discard')}
        </Button>
        <Button loading={saving} onClick={() => void save()}>
          {t('App:save')}
        </Button>
      </div>
    </section>
  );
}

/** "Changed: price, minimum instances" */
export function Changed({ names }: { names: readonly string[] }) {
  const { t } = useTranslation('Unsaved');
  const shown = namesShown(names);
  return t(shown.more ? 'changedMore' : 'changed', { names: shown.names, count: shown.more });
}
