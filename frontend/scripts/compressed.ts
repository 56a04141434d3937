import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { Plugin } from 'vite';

const TEXT = /\.(?:js|css|html|svg)$/;
/** Below it, the headers of a response outweigh what compression saves. */
const SMALLEST = 512;

const encodings = {
  '.br': async (text: Buffer) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }),
  '.gz': async (text: Buffer) => promisify(gzip)(text, { level: 9 }),
};

/**
 * Writes `.br` and `.gz` beside each text file that the build makes, so that servers need not compress. Not beside the files of
 * `public/`: an installation may replace those, and a server would go on to send the old text.
 */
export function compressedFiles(): Plugin {
  return {
    name: 'compressed-files',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (!dir) throw new Error('the build has no folder');
      const names = Object.keys(bundle).filter((name) => TEXT.test(name));
      await Promise.all(names.map(async (name) => compressFile(join(dir, name))));
    },
  };
}

export async function compressFile(path: string): Promise<void> {
  const text = await readFile(path);
  if (text.length < SMALLEST) return;
  for (const [suffix, encode] of Object.entries(encodings)) {
    const encoded = await encode(text);
    if (encoded.length < text.length) await writeFile(path + suffix, encoded);
  }
}
