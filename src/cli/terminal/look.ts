import type { Context } from '../runtime/command.js';
import { wantsColor } from '../runtime/io.js';
import type { Look } from './table.js';

/** How tables look on a command's output. */
export function lookOf({ io, color }: Context): Look {
  const bold = wantsColor(io.stdout, io.env, color);
  return {
    ...(io.stdout.isTTY && io.stdout.columns !== undefined && { width: io.stdout.columns }),
    title: (text) => (bold ? `\x1b[1m${text}\x1b[22m` : text),
  };
}
