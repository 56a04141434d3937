import { Box, ScrollArea } from '@mantine/core';

import classes from './CodeBlock.module.css';
import { Copy } from './Copy';

interface Props {
  code: string;
  label: string;
  onCopied?: () => void;
}

export function CodeBlock({ code, label, onCopied }: Props) {
  return (
    <Box className={classes.block}>
      <ScrollArea type="auto" className={classes.scroll ?? ''}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by keyboard */}
        <pre className={classes.code} aria-label={label} tabIndex={0}>
          {code}
        </pre>
      </ScrollArea>
      <Box className={classes.copy}>
        <Copy value={code} onCopied={onCopied} />
      </Box>
    </Box>
  );
}
