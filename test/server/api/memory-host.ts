import { loadManifest, type ManifestMutator, resolveParams } from '../../../src/mutators/index.js';
import type { InjectOutcome, ResetOutcome } from '../../../src/server/host/host.js';
import type { MutatorHost } from '../../../src/server/host/host-lifecycle.js';
import { decodeSource } from '../../../src/source/index.js';

/** The mutators of a manifest that has no findings. */
export function mutatorsOf(toml: string): readonly ManifestMutator[] {
  const loaded = loadManifest(decodeSource('mutators.toml', Buffer.from(toml)));
  if (loaded.manifest === undefined) throw new Error(JSON.stringify(loaded.findings));
  return loaded.manifest.mutators;
}

const actuator = (kind: string) => `[mutator.actuator]\nkind = "module"\npath = "./${kind}.js"\n`;

/** A parameter of each type, ids that need care in a path, and one that fails. */
export const MANIFEST = `
[[mutator]]
id = "wind"
name = "simulation-wind"
layer = "environmental"

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]
default = 0.0

[[mutator.param]]
name = "gusts"
type = "integer"
default = 0

[[mutator.param]]
name = "mode"
type = "enum"
options = ["gust", "steady"]
default = "steady"

${actuator('wind')}
[[mutator]]
id = "links/a b%2F"
name = "link"
${actuator('link')}
[[mutator]]
id = "wärme?#;=🌡"
name = "heat"

[[mutator.param]]
name = "note"
type = "string"
default = ""

${actuator('heat')}
[[mutator]]
id = "broken"
name = "broken"
${actuator('broken')}
`;

export interface Call {
  readonly what: 'inject' | 'reset';
  readonly id: string;
  readonly mutation?: string;
}

/** A host whose actuators are calls written down; `broken` fails, and a held one waits. */
export interface MemoryHost extends MutatorHost {
  readonly calls: readonly Call[];
  /** Lets operations on a mutator wait until the returned function is called. */
  hold(id: string): () => void;
  /** What the next operation on any mutator ends with, instead of being done. */
  next: InjectOutcome | ResetOutcome | undefined;
}

export function createMemoryHost(toml = MANIFEST): MemoryHost {
  const mutators = [...mutatorsOf(toml)].sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(mutators.map((mutator) => [mutator.id, mutator]));
  const turns = new Map<string, Promise<unknown>>();
  const calls: Call[] = [];
  const held = new Map<string, Promise<void>>();

  function inTurn<T>(id: string, work: () => T): Promise<T> {
    const turn = (turns.get(id) ?? Promise.resolve()).then(() => held.get(id)).then(work);
    turns.set(id, turn);
    return turn;
  }

  const host: MemoryHost = {
    mutators,
    calls,
    next: undefined,
    heldSince: undefined,
    activity: () => undefined,
    resetOrphans: () => {},
    endedMutationsOf: () => [],
    hold(id) {
      const { promise, resolve } = withResolvers();
      held.set(id, promise);
      return () => {
        held.delete(id);
        resolve();
      };
    },
    async inject(id, mutation) {
      if (host.next !== undefined) return host.next as InjectOutcome;
      const mutator = byId.get(id);
      if (mutator === undefined) return { kind: 'not-found' };
      const resolved = resolveParams(mutator, mutation.params);
      if ('reasons' in resolved) return { kind: 'refused', reasons: resolved.reasons };
      return inTurn(id, () => {
        calls.push({ what: 'inject', id, mutation: mutation.id });
        return id === 'broken' ? { kind: 'failed', reason: 'it is broken' } : { kind: 'injected' };
      });
    },
    async reset(id) {
      if (host.next !== undefined) return host.next as ResetOutcome;
      if (!byId.has(id)) return { kind: 'not-found' };
      return inTurn(id, () => {
        calls.push({ what: 'reset', id });
        return { kind: 'reset' };
      });
    },
  };
  return host;
}

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
