import { Anchor, Box, Code, Table, Title, Typography } from '@mantine/core';
import { createContext, isValidElement, type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown, { type Components } from 'react-markdown';
import { Link } from 'react-router';
import remarkGfm from 'remark-gfm';

import { CodeBlock } from '@/components/code/CodeBlock';

import classes from './DocumentText.module.css';
import { addressOf, anchorOf } from './pages';

const PLUGINS = [remarkGfm];
const PageName = createContext('');

type Parts = { children?: ReactNode };

const COMPONENTS: Components = {
  h1: () => null,
  h2: ({ children }) => <Heading order={2}>{children}</Heading>,
  h3: ({ children }) => <Heading order={3}>{children}</Heading>,
  pre: Program,
  code: ({ children }) => <Code>{children}</Code>,
  table: WideTable,
  a: Reference,
};

/** A page of the documentation. Its first heading is the title of the page around it. */
export default function DocumentText({ name, text }: { name: string; text: string }) {
  return (
    <PageName value={name}>
      <Typography lang="en" maw={760}>
        <Markdown remarkPlugins={PLUGINS} components={COMPONENTS}>
          {text}
        </Markdown>
      </Typography>
    </PageName>
  );
}

function Program({ children }: Parts) {
  const { t } = useTranslation('Docs');
  return (
    <Box className={classes.program ?? ''}>
      <CodeBlock code={plain(children).replace(/\n$/, '')} label={t('code')} />
    </Box>
  );
}

function WideTable({ children }: Parts) {
  const { t } = useTranslation('Docs');
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('table') } }}>
      <Table verticalSpacing="xs" className={classes.table ?? ''}>{children}</Table>
    </Table.ScrollContainer>
  );
}

function Reference({ href = '', children }: Parts & { href?: string | undefined }) {
  const address = addressOf(href, useContext(PageName));
  if (address === null) return <>{children}</>;
  return address.startsWith('/') ? (
    <Anchor component={Link} to={address} td="underline">
      {children}
    </Anchor>
  ) : (
    <Anchor href={address} rel="noreferrer" td="underline">
      {children}
    </Anchor>
  );
}

function Heading({ order, children }: { order: 2 | 3; children: ReactNode }) {
  return (
    <Box id={anchorOf(plain(children))} style={{ scrollMarginTop: 'calc(var(--mlp-header) + 16px)' }}>
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
