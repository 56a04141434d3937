import { IconChevronLeft } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import classes from './Breadcrumbs.module.css';
import { Link } from './Link';

export interface Crumb {
  text: string;
  /** Without an address: a level that has no page. */
  to?: string;
}

/** The way to the page, from its section to what it shows now. On phones only the way back to the section is left. */
export function Breadcrumbs({ crumbs, current }: { crumbs: readonly Crumb[]; current: string }) {
  const { t } = useTranslation('App');
  return (
    <nav aria-label={t('breadcrumbs')}>
      <ol className={classes.row}>
        {crumbs.map(({ text, to }) => (
          <li key={to ?? text} className={classes.crumb}>
            <IconChevronLeft size={16} className={classes.back ?? ''} aria-hidden />
            {to ? (
              <Link to={to} className={classes.link ?? ''} title={text}>
                {text}
              </Link>
            ) : (
              <span className={classes.text} title={text}>
                {text}
              </span>
            )}
          </li>
        ))}
        <li className={classes.crumb} aria-current="page">
          <span className={classes.text} title={current}>
            {current}
          </span>
        </li>
      </ol>
    </nav>
  );
}
