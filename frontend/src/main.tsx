import '@/app/mantine.css';
import '@fontsource-variable/onest/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@/app/base.css';

import { RouterProvider } from 'react-router';

import { createRouter } from '@/app/router';
import { start } from '@/app/start';
import { createStore } from '@/app/store';
import { browser } from '@/lib/browser';
import { selectAccountAddress } from '@/lib/redirects';
import { mayLeave } from '@/lib/refusals';

const router = createRouter();
const store = createStore((consequence) => {
  if (consequence === 'address-denied') return void router.navigate('/403?context=ip', { replace: true });
  const address = window.location.pathname + window.location.search;
  if (mayLeave(sessionStorage, address)) browser.go(selectAccountAddress(address));
  else void router.navigate('/403?context=account', { replace: true });
});

void start(store, <RouterProvider router={router} />);
