import { Anchor, Box, Code, Table, Title, Typography } from '@mantine/core';
import { createContext, isValidElement, type ReactNode, useContext, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

import { CodeBlock } from '@/components/code/CodeBlock';
import { Link } from '@/components/Link';

import classes from './DocumentText.module.css';
import { addressOf, anchorsOf, titleBehind } from './pages';

const PLUGINS = [remarkGfm];
const Shown = createContext<{ name: string; language: string; anchors: ReadonlyMap<string, string> }>({
  name: '',
  language: 'en',
  anchors: new Map(),
});
/** The files name the address of a platform on the reader's machine; whoever reads them here is at another. */
const ADDRESS = 'http://localhost:8080';
const here = (code: string) => code.replaceAll(ADDRESS, window.location.origin);

type Parts = { children?: ReactNode };

const COMPONENTS: Components = {
  h1: () => null,
  h2: ({ children }) => <Heading order={2}>{children}</Heading>,
  h3: ({ children }) => <Heading order={3}>{children}</Heading>,
  pre: Program,
  code: ({ children }) => <Code className={classes.code ?? ''}>{here(plain(children))}</Code>,
  table: WideTable,
  a: Reference,
};

/** A page of the documentation. Its first heading is the title of the page around it. */
export default function DocumentText({ name, language, text }: { name: string; language: string; text: string }) {
  const shown = useMemo(() => ({ name, language, anchors: anchorsOf(name, language) }), [name, language]);
  return (
    <Shown value={shown}>
      <Typography lang={language} maw={760}>
        <Markdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml>
          {text}
        </Markdown>
      </Typography>
    </Shown>
  );
}

function Program({ children }: Parts) {
  const { t } = useTranslation('Docs');
  return (
    <Box className={classes.program ?? ''}>
      <CodeBlock code={here(plain(children)).replace(/\n$/, '')} label={t('code')} />
    </Box>
  );
}

function WideTable({ children }: Parts) {
  const { t } = useTranslation('Docs');
  return (
    <Table.ScrollContainer
      minWidth={480}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('table') } }}
    >
      <Table verticalSpacing="xs" className={classes.table ?? ''}>
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}

function Reference({ href = '', children }: Parts & { href?: string | undefined }) {
  const { name, language } = useContext(Shown);
  const address = addressOf(href, name);
  if (address === null) return <>{children}</>;
  const text = titleBehind(plain(children), language) ?? children;
  return address.startsWith('/') ? (
    <Anchor component={Link} to={address} td="underline">
      {text}
    </Anchor>
  ) : (
    <Anchor href={address} rel="noreferrer" td="underline">
      {text}
    </Anchor>
  );
}

function Heading({ order, children }: { order: 2 | 3; children: ReactNode }) {
  return (
    <Box
      id={useContext(Shown).anchors.get(plain(children))}
      style={{ scrollMarginTop: 'calc(var(--mlp-header) + 16px)' }}
    >
      <Title order={order} mt="lg" mb="xs">
        {children}
      </Title>
    </Box>
  );
}

/** The text of rendered nodes. */
function plain(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map((child) => plain(child as ReactNode)).join('');
  return isValidElement<{ children?: ReactNode }>(node) ? plain(node.props.children) : '';
}
