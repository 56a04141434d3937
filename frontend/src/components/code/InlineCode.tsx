import { Code } from '@mantine/core';

const PIECES = /(``[^`\n]+``|`[^`\n]+`)/;

/** A line of text whose parts between backticks are code, one or two backticks as in Markdown and reStructuredText. */
export function InlineCode({ text }: { text: string }) {
  return text.split(PIECES).map((piece, index) =>
    // oxlint-disable-next-line react/no-array-index-key -- a piece is its place in the text
    index % 2 ? <Code key={index}>{piece.replaceAll('`', '')}</Code> : piece,
  );
}
