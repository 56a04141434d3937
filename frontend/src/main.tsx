import '@mantine/core/styles.css';
import '@fontsource-variable/onest/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@/app/base.css';

import { RouterProvider } from 'react-router';

import { createRouter } from '@/app/router';
import { start } from '@/app/start';
import { createStore } from '@/app/store';

void start(createStore(), <RouterProvider router={createRouter()} />);
