import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@fontsource-variable/onest/wght.css';
import '@/app/base.css';

import { createRoot } from 'react-dom/client';

import { Providers } from '@/app/Providers';
import { createStore } from '@/app/store';
import { AccountsApp } from '@/features/accounts/AccountsApp';
import { startI18n } from '@/lib/i18n';

const place = document.getElementById('root');
if (!place) throw new Error('the page has no place for the application');
createRoot(place).render(
  <Providers store={createStore()} language={startI18n()}>
    <AccountsApp />
  </Providers>,
);
