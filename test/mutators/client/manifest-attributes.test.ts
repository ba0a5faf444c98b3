import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient, loadManifest, writeListing } from '../../../src/mutators/index.js';
import { decodeSource } from '../../../src/source/index.js';
import {
  type AttributeValue,
  isJsonObject,
  type Json,
  numberText,
  type Shape,
  toShape,
} from '../../../src/values/index.js';
import { anyText } from '../../any-text.js';
import { runs } from '../../long.js';
import { attributeValue } from '../arbitrary.js';
import { serveHttp } from './servers.js';

const ACTUATOR = '[mutator.actuator]\nkind = "module"\npath = "./m.js"\n';

const quoted = (text: string): string => JSON.stringify(text).replaceAll('\x7f', '\\u007f');

/** JSON as TOML; undefined for an integer beyond 64 bits, which TOML does not have. */
function tomlOf(json: Json): string | undefined {
  const number = numberText(json);
  if (number !== undefined) {
    const isInteger = /^-?\d+$/.test(number);
    return isInteger && BigInt.asIntN(64, BigInt(number)) !== BigInt(number) ? undefined : number;
  }
  if (typeof json === 'string') return quoted(json);
  if (Array.isArray(json)) {
    const items = json.map(tomlOf);
    return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
  }
  if (!isJsonObject(json)) return String(json);
  const members = Object.entries(json).map(([key, item]) => [key, tomlOf(item)] as const);
  if (members.some(([, item]) => item === undefined)) return undefined;
  return `{ ${members.map(([key, item]) => `${key} = ${item}`).join(', ')} }`;
}

const isUnicode = (text: string) => Buffer.from(text).toString() === text;

/** A value that TOML can hold, and how it is written there. */
const written = fc
  .tuple(attributeValue, fc.constantFrom<Shape>('api', 'sdk'))
  .filter(([{ value }]) => typeof value !== 'string' || isUnicode(value))
  .map(([value, shape]) => {
    const json = toShape(value, shape);
    return { value, toml: json === undefined ? undefined : tomlOf(json) };
  })
  .filter((one): one is { value: AttributeValue; toml: string } => one.toml !== undefined);

const part = anyText().filter((text) => isUnicode(text) && text.trim() !== '' && !/\./.test(text));

const attribute = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ['acme', ...parts]),
  written,
});

test("any attribute of one's own arrives at a client as the manifest has it", async () => {
  let listing = '';
  const url = await serveHttp((_, response) => void response.end(listing));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(attribute, { minLength: 1, selector: ({ parts }) => parts[1] }),
      async (attributes) => {
        const lines = attributes.map(
          ({ parts, written: { toml } }) => `${parts.map(quoted).join('.')} = ${toml}`,
        );
        const text = `[[mutator]]\nname = "m"\n[mutator.attributes]\n${lines.join('\n')}\n${ACTUATOR}`;
        const { manifest, findings } = loadManifest(decodeSource('m.toml', Buffer.from(text)));
        expect(findings).toEqual([]);
        listing = writeListing(manifest?.mutators ?? []);
        const { mutators, warnings } = await createClient({ url, timeoutMs: 10_000 }).list();
        expect(warnings).toEqual([]);
        expect(mutators[0]?.attributes).toEqual(
          new Map<string, AttributeValue>([
            ['mutator.perturb.timeout', { type: 'nanoseconds', value: 10_000_000_000n }],
            ...attributes.map(
              ({ parts, written: { value } }) => [['mutator', ...parts].join('.'), value] as const,
            ),
          ]),
        );
      },
    ),
    { numRuns: runs(100) },
  );
}, 300_000);
