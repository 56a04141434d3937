import '@/app/mantine.css';
import '@fontsource-variable/onest/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@/app/base.css';

import { createBrowserHistory } from '@tanstack/history';

import { AddressRouter } from '@/app/AddressRouter';
import { Pages } from '@/app/router';
import { start } from '@/app/start';
import { createStore } from '@/app/store';
import { browser } from '@/lib/browser';
import { selectAccountAddress } from '@/lib/redirects';
import { mayLeave } from '@/lib/refusals';

const history = createBrowserHistory();
const store = createStore((consequence) => {
  if (consequence === 'address-denied') return history.replace('/403?context=ip');
  const address = window.location.pathname + window.location.search;
  if (mayLeave(sessionStorage, address)) browser.go(selectAccountAddress(address));
  else history.replace('/403?context=account');
});

void start(
  store,
  <AddressRouter history={history}>
    <Pages />
  </AddressRouter>,
);
