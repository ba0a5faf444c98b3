import type { Client } from './client.js';
import { TAIL } from './open.js';

/* Texts about one mutator, for what the editor finds of it in a catalog. */

export const objective = (mutator: string): string => `name = "x"

[[mutator]]
name = "${mutator}"

[[measurement]]
name = "m"
check = "MATCH (name = 'A') AS a"
${TAIL}`;

export const manifest = (name: string): string => `[[mutator]]
name = "${name}"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]
`;

export const listing = (name: string): string =>
  JSON.stringify([{ mutator_correlation_id: name, attributes: { 'mutator.name': name } }]);

/** A perturb.toml that names a source of mutators. */
export const settings = (source: string): string => `[lint]\nmutators = ["${source}"]\n`;

export const UNKNOWN = ['catalog/unknown-mutator'];

/** Waits for findings of some rules. */
export async function shows(client: Client, uri: string, rules: readonly string[]): Promise<void> {
  await client.until(uri, (shown) => shown.map(({ code }) => code).join() === rules.join());
}
