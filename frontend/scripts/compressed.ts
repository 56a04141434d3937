import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { Plugin } from 'vite';

const TEXT = /\.(?:js|css|html|svg)$/;
/** Below it, the headers of a response outweigh what compression saves. */
const SMALLEST = 512;

/** The best quality takes fifty times as long as the quick one, for files that are a tenth smaller. */
const QUICK_QUALITY = 5;

type Compression = 'best' | 'quick';

const encodings = {
  '.br': async (text: Buffer, compression: Compression) => {
    const quality = compression === 'quick' ? QUICK_QUALITY : constants.BROTLI_MAX_QUALITY;
    return promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
    });
  },
  '.gz': async (text: Buffer) => promisify(gzip)(text, { level: 9 }),
};

/**
 * Writes `.br` and `.gz` beside each text file that the build makes, so that servers need not compress. Not beside the files of
 * `public/`: an installation may replace those, and a server would go on to send the old text.
 */
export function compressedFiles(compression: Compression = 'best'): Plugin {
  return {
    name: 'compressed-files',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (!dir) throw new Error('the build has no folder');
      const names = Object.keys(bundle).filter((name) => TEXT.test(name));
      await Promise.all(names.map(async (name) => compressFile(join(dir, name), compression)));
    },
  };
}

export async function compressFile(path: string, compression: Compression = 'best'): Promise<void> {
  const text = await readFile(path);
  if (text.length < SMALLEST) return;
  for (const [suffix, encode] of Object.entries(encodings)) {
    const encoded = await encode(text, compression);
    if (encoded.length < text.length) await writeFile(path + suffix, encoded);
  }
}
