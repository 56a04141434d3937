import { Box } from '@mantine/core';
import { Outlet } from 'react-router';

import { Balances } from './Banners';
import { Header } from './Header';
import classes from './Shell.module.css';

export function Shell() {
  return (
    <Box className={classes.shell}>
      <Header />
      <Balances />
      <main className={classes.main}>
        <Outlet />
      </main>
    </Box>
  );
}
