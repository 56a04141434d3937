import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';

import classes from './bucket.module.css';
import { searchOf, wayTo } from './paths';

interface Props {
  /** The name of the top; null while the account has no bucket. */
  bucket: string | null;
  folder: string;
}

/** The folders from the bucket to the open one. They wrap, since on a phone too each must be in reach. */
export function FolderPath({ bucket, folder }: Props) {
  const { t } = useTranslation('Bucket');
  const way = [{ name: bucket ?? t('top'), prefix: '' }, ...wayTo(folder)];
  return (
    <nav aria-label={t('folders')}>
      <ol className={classes.way}>
        {way.map(({ name, prefix }, at) => (
          <li key={prefix}>
            {at === way.length - 1 ? (
              <span aria-current="page">{name || t('nameless')}</span>
            ) : (
              <Anchor component={Link} to={searchOf(prefix)}>
                {name || t('nameless')}
              </Anchor>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
