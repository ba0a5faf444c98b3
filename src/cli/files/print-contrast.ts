import { toVersionedJson } from '../../reporters/index.js';
import { contrastMarkdown, contrastText, contrastToJson } from '../../reporters/results/index.js';
import { resultLook } from '../../reporters/terminal/index.js';
import type { ContrastDocument } from '../../results/index.js';
import type { CommandContext } from '../runtime/command.js';
import type { FlagsOf } from '../runtime/declare.js';
import { contextFor } from '../runtime/io.js';
import type { documentFormatOption } from '../runtime/options.js';

/** Prints the differences between failing and passing sessions. */
export function printContrast(
  context: CommandContext,
  { format }: FlagsOf<[typeof documentFormatOption]>,
  document: ContrastDocument,
): void {
  const { io, color } = context;
  const texts = {
    pretty: () => contrastText(document, resultLook(contextFor(io, io.stdout, color))),
    json: () => toVersionedJson(contrastToJson(document)),
    markdown: () => contrastMarkdown(document, resultLook(contextFor(io, io.stdout, false))),
  };
  io.stdout.write(texts[format as keyof typeof texts]());
}
