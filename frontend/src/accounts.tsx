import '@/app/mantine.css';
import '@fontsource-variable/onest/wght.css';
import '@/app/base.css';

import { start } from '@/app/start';
import { createStore } from '@/app/store';
import { AccountsApp } from '@/features/accounts/AccountsApp';

void start(createStore(), <AccountsApp />);
