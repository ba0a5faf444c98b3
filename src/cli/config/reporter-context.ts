import type { ReporterContext } from '../../reporters/index.js';
import { isAscii, takesLinks } from '../runtime/capabilities.js';
import { type Io, type Output, wantsColor } from '../runtime/io.js';

/**
 * How a report looks on an output.
 *
 * @param root of the repository; formats for people need none
 */
export function contextFor(
  io: Io,
  output: Output,
  color: boolean | undefined,
  root = io.cwd,
): ReporterContext {
  return {
    color: wantsColor(output, io.env, color),
    ...(output.columns !== undefined && { width: output.columns }),
    ascii: isAscii(io.env),
    links: takesLinks(output, io.env),
    directory: io.cwd,
    root,
  };
}
