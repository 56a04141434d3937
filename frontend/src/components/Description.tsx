import { Table, Typography } from '@mantine/core';
import type { ComponentProps } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** Authors also write reStructuredText: two backticks around code without one inside mean the same as Markdown's one. */
export function withMarkdownCode(text: string): string {
  return text.replace(/(?<!`)``(?!`)([^`\n]+)``(?!`)/g, '`$1`');
}

// A stranger's page: it gains no rank from a link here, and learns nothing about the visitor.
const link = ({ href, title, children }: ComponentProps<'a'>) => (
  <a href={href} title={title} target="_blank" rel="nofollow noopener noreferrer">
    {children}
  </a>
);

const image = ({ src, alt = '', title }: ComponentProps<'img'>) =>
  typeof src === 'string' && src.startsWith('https://') ? (
    <img src={src} alt={alt} title={title} loading="lazy" referrerPolicy="no-referrer" style={{ maxWidth: '100%' }} />
  ) : (
    <>{alt}</>
  );

// The page has its title: headings of the text stand below it.
const HEADINGS = { h1: 'h2', h2: 'h3', h3: 'h4' } as const;
const PLUGINS = [remarkGfm];

/** Wider than a phone: it scrolls by itself, not the page. */
const table = ({ children }: ComponentProps<'table'>) => (
  <Table.ScrollContainer minWidth={0}>
    <Table verticalSpacing="xs">{children}</Table>
  </Table.ScrollContainer>
);

/** Markdown of a service's author. HTML in it stays text; react-markdown drops addresses of other schemes than those of the web and mail. */
export default function Description({ text }: { text: string }) {
  return (
    <Typography style={{ overflowWrap: 'anywhere' }}>
      <Markdown remarkPlugins={PLUGINS} components={{ ...HEADINGS, a: link, img: image, table }}>
        {withMarkdownCode(text)}
      </Markdown>
    </Typography>
  );
}
