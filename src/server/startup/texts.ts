import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY_HEADER } from '../../mutators/index.js';
import { openHost } from '../host/open-host.js';
import type { ResidualMutation } from '../host/shutdown.js';
import { urlOf } from './address.js';
import { planServer, type ServeOptions, type ServerPlan } from './plan.js';
import { PORT_KEY } from './plugin.js';

/** Returns the URL of a plan's API. */
export function apiUrl({ address, port, basePath, tls }: Omit<ServerPlan, 'secrets'>): string {
  return urlOf({ address, port }, tls === undefined ? 'http' : 'https', basePath);
}

/**
 * Describes a plugin's default port; undefined if the reflector's configuration has a port, or for an external server.
 */
export function describeDefaultPort({ plugin, isPortNamed, port }: ServerPlan): string | undefined {
  if (!plugin || isPortNamed) return undefined;
  return `The reflector's configuration sets no port in ${PORT_KEY}, so the port is ${port}`;
}

/** Returns the source of a plugin's port, with advice on changing the port; undefined for an external server. */
export function explainPort(plan: ServerPlan, portOption: number | undefined): string | undefined {
  if (!plan.plugin) return undefined;
  if (portOption !== undefined) {
    return "The plugin was installed with this --port, which overrides the reflector's configuration. Install the plugin with another port.";
  }
  return plan.isPortNamed
    ? `The reflector's configuration sets this port in ${PORT_KEY}. Stop the other program, or change the port there.`
    : `${describeDefaultPort(plan)}. Set a port there.`;
}

/** Returns the startup message for people. */
export function formatBanner(plan: ServerPlan, { mutators }: ServeOptions): string {
  const url = apiUrl(plan);
  const lines = [`Serving ${countMutators(mutators)} at ${url}`];
  const portNotice = describeDefaultPort(plan);
  if (portNotice !== undefined) lines.push(portNotice);
  if (plan.keys !== undefined) lines.push(`Clients need a key in the header ${KEY_HEADER}`);
  if (!plan.plugin) {
    lines.push(
      '',
      'To connect a reflector, add this to the table [mutation] of',
      'its configuration:',
      '',
      `  external-mutator-urls = [${JSON.stringify(url)}]`,
      '',
    );
  }
  return `${lines.join('\n')}\nCtrl-C resets active mutations and stops the server.\n`;
}

/** Describes the server that a plan would start. */
function describePlan(plan: ServerPlan, { mutators, stateDirectory }: ServeOptions): string {
  const ids = mutators.map(({ id, actuator }) => ({ id, kind: actuator.kind }));
  const width = Math.max(...ids.map(({ id }) => id.length));
  const access = plan.keys === undefined ? 'no key required' : 'key required';
  const mode = plan.plugin ? 'as a reflector plugin' : 'as an external server';
  return [
    `Would serve ${countMutators(mutators)} at ${apiUrl(plan)}, ${mode}, ${access}:`,
    ...ids.map(({ id, kind }) => `  ${id.padEnd(width)}  ${kind}`),
    ...[describeDefaultPort(plan) ?? []].flat(),
    `State is kept in ${stateDirectory}`,
    '',
  ].join('\n');
}

/** Returns the warnings and advice about residual mutations. */
export function describeResidualMutations(residual: readonly ResidualMutation[]): string {
  return residual
    .map(({ id, reason, advice }) => {
      return `perturb: ${JSON.stringify(id)} may be left mutated: ${reason}\n  ${advice}\n`;
    })
    .join('');
}

function countMutators(items: readonly unknown[]): string {
  return items.length === 1 ? '1 mutator' : `${items.length} mutators`;
}

/**
 * Loads all of a server's inputs and describes the server that would start. Neither listens nor touches the system or
 * its state. Rejects like `serveMutators`.
 */
export async function describeDryRun(
  options: ServeOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const plan = await planServer(options, env, () => {});
  plan.keys?.close();
  const scratch = await mkdtemp(join(tmpdir(), 'perturb-dry-run-'));
  try {
    const host = await openHost({
      mutators: options.mutators,
      directory: options.manifestDirectory,
      stateDirectory: scratch,
      environment: env,
      secretVariables: plan.secretVariables,
      events: () => {},
    });
    await host.shutdown({ graceMs: 0, timeoutMs: 0 });
  } finally {
    await rm(scratch, { recursive: true });
  }
  return describePlan(plan, options);
}
