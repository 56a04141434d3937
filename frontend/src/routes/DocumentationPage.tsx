import { Box, Grid, NavLink, ScrollArea, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation, useParams } from 'react-router';

import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { ORDER, pagesIn, search, textOf } from '@/features/documentation/pages';

const DocumentText = lazy(() => import('@/features/documentation/DocumentText'));

/** The documentation for callers and authors of services: a list of pages, and one of them. */
export default function DocumentationPage() {
  const { t, i18n } = useTranslation('Docs');
  const { page: name } = useParams();
  const page = pagesIn(i18n.language).find((one) => one.name === name);
  if (!page) return <Navigate to={name ? '/404' : `/docs/${ORDER[0]}`} replace />;
  return (
    <Page title={page.title} crumbs={[{ text: t('documentation'), to: '/docs' }]}>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, sm: 4, md: 3 }}>
          <Contents current={page.name} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 8, md: 9 }}>
          <Shown key={`${i18n.language} ${page.name}`} name={page.name} language={i18n.language} />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** Lists the pages; a search lists the sections that it finds, too. */
function Contents({ current }: { current: string }) {
  const { t, i18n } = useTranslation('Docs');
  const [words, setWords] = useState('');
  const list = useRef<HTMLDivElement>(null);
  // Only the list is scrolled, never the page around it.
  useEffect(() => {
    const place = list.current?.querySelector<HTMLElement>(`a[href="/docs/${current}"]`);
    if (list.current && place)
      list.current.scrollTop = place.offsetTop - (list.current.clientHeight - place.offsetHeight) / 2;
  }, [current]);
  const found = search(pagesIn(i18n.language), words);
  return (
    <Stack gap="sm" component="nav" aria-label={t('pages')}>
      <TextInput
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        value={words}
        maxLength={64}
        leftSection={<IconSearch size={16} aria-hidden />}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ScrollArea.Autosize viewportRef={list} mah={{ base: 240, sm: 'calc(100vh - 240px)' }} type="auto">
        {found.map(({ name, title, sections }) => (
          <Box key={name}>
            <NavLink
              component={Link}
              to={`/docs/${name}`}
              label={title}
              active={name === current}
              aria-current={name === current ? 'page' : undefined}
            />
            {words.trim() &&
              sections.map((section) => (
                <NavLink
                  key={section.anchor}
                  component={Link}
                  to={`/docs/${name}#${section.anchor}`}
                  label={section.title}
                  pl={28}
                  py={4}
                />
              ))}
          </Box>
        ))}
      </ScrollArea.Autosize>
      {found.length === 0 && (
        <Text c="dimmed" size="sm">
          {t('nothing')}
        </Text>
      )}
    </Stack>
  );
}

function Shown({ name, language }: { name: string; language: string }) {
  const { hash } = useLocation();
  const [text, setText] = useState<string>();
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    let gone = false;
    textOf(name, language)?.().then(
      (loaded) => !gone && setText(loaded),
      (error: unknown) => !gone && setFailure(error instanceof Error ? error : new Error(String(error))),
    );
    return () => {
      gone = true;
    };
  }, [name, language]);
  if (failure) throw failure; // the page around it reloads once, or says so
  if (text === undefined) return <Waiting />;
  return (
    <Suspense fallback={<Waiting />}>
      <DocumentText name={name} language={language} text={text} />
      <ScrolledTo hash={hash} />
    </Suspense>
  );
}

/** The browser scrolls to an anchor only if the page has it when it is opened. */
function ScrolledTo({ hash }: { hash: string }) {
  useEffect(() => {
    if (hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [hash]);
  return null;
}

function Waiting() {
  return (
    <Stack aria-busy>
      {[60, 100, 95, 100, 70].map((width, at) => (
        <Skeleton key={at} h={16} w={`${width}%`} />
      ))}
    </Stack>
  );
}
