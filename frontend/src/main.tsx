import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@fontsource-variable/onest/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@/app/base.css';

import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';

import { Providers } from '@/app/Providers';
import { createRouter } from '@/app/router';
import { createStore } from '@/app/store';
import { loaded } from '@/lib/chunks';
import { startI18n } from '@/lib/i18n';

const place = document.getElementById('root');
if (!place) throw new Error('the page has no place for the application');
createRoot(place).render(
  <Providers store={createStore()} language={startI18n()}>
    <RouterProvider router={createRouter()} />
  </Providers>,
);
loaded(sessionStorage);
