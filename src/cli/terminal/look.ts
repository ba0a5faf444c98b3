import type { CommandContext } from '../runtime/command.js';
import { wantsColor } from '../runtime/io.js';
import type { TableLook } from './table.js';

/** How tables look on a command's output. */
export function tableLook({ io, color }: CommandContext): TableLook {
  const bold = wantsColor(io.stdout, io.env, color);
  return {
    ...(io.stdout.isTTY && io.stdout.columns !== undefined && { width: io.stdout.columns }),
    title: (text) => (bold ? `\x1b[1m${text}\x1b[22m` : text),
  };
}
