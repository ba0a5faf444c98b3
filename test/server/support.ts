import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ActuatorError } from '../../src/actuators/actuator-error.js';
import type { ActuatorContext } from '../../src/actuators/context.js';
import { createRunningNotes } from '../../src/actuators/exec/running-notes.js';
import { MutatedFiles } from '../../src/actuators/file/mutated-files.js';
import { ModuleThreads } from '../../src/actuators/module/module-thread.js';
import { Semaphore } from '../../src/actuators/scheduling.js';
import {
  loadManifest,
  type ManifestMutator,
  type Mutation,
  type ParameterValues,
} from '../../src/mutators/index.js';
import { decodeSource } from '../../src/source/index.js';
import type { AttributeValue } from '../../src/values/index.js';

export const MUTATION = '3b241101-e2bb-4255-8caf-4136c566a962';

/** A directory until the test ends; its path has no links. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'perturb-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The mutators of a manifest that must have no findings. */
export function readManifest(text: string): readonly ManifestMutator[] {
  const { manifest, findings } = loadManifest(decodeSource('test.toml', Buffer.from(text)));
  if (manifest === undefined) throw new Error(findings.map((one) => one.message).join('\n'));
  return manifest.mutators;
}

/** The context of actuators whose manifest and state are in a directory. */
export function contextIn(directory: string, more: Partial<ActuatorContext> = {}): ActuatorContext {
  const originals = join(directory, 'state', 'originals');
  const running = join(directory, 'state', 'running');
  for (const made of [originals, running]) mkdirSync(made, { recursive: true });
  const { PATH } = process.env;
  const { environment = { PATH } } = more;
  return {
    directory,
    environment,
    childEnvironment: environment,
    semaphores: { commands: new Semaphore(64), requests: new Semaphore(64) },
    threads: new ModuleThreads(),
    running: createRunningNotes(running),
    files: new MutatedFiles(originals),
    ...more,
  };
}

/** Values for parameters: bigints are integers, numbers floats. */
export function valuesOf(
  values: Readonly<Record<string, string | boolean | bigint | number>>,
): ParameterValues {
  return new Map(Object.entries(values).map(([key, value]) => [key, attributeOf(value)]));
}

function attributeOf(value: string | boolean | bigint | number): AttributeValue {
  if (typeof value === 'bigint') return { type: 'integer', value };
  if (typeof value === 'number') return { type: 'float', value };
  return typeof value === 'string' ? { type: 'string', value } : { type: 'boolean', value };
}

/** A mutation with these parameters. */
export function mutationOf(params: ParameterValues): Mutation {
  return { id: MUTATION, params };
}

/** The code and message of the error that an action of an actuator must end with. */
export async function failureOf(action: Promise<void>): Promise<[string, string]> {
  const error = await action.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ActuatorError)) throw error;
  return [error.code, error.message];
}

/** Resolves when a condition holds, looking often; fails the test by its time-out otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
