import type { EnvironmentTemplate, JsonTemplate, Template, ValueTemplate } from './template.js';

/** How a mutator acts on the system. Paths are as in the manifest: relative to its directory. */
export type Actuator = ExecActuator | HttpActuator | FileActuator | ModuleActuator;

export type ActuatorKind = Actuator['kind'];

export const ACTUATOR_KINDS = ['exec', 'http', 'file', 'module'] as const satisfies ActuatorKind[];

/** How long an action may take when the manifest does not say. */
export const DEFAULT_TIMEOUT = { text: '10s', ms: 10_000 } as const;

/** Runs commands: argument vectors, never a shell. */
export interface ExecActuator {
  readonly kind: 'exec';
  /** At least the command, which holds no parameter. */
  readonly inject: readonly Template[];
  readonly reset: readonly string[];
  readonly timeoutMs: number;
  /** The working directory; the manifest's when absent. */
  readonly cwd?: string;
  /** Variables that the commands get beside those of Perturb's own environment. */
  readonly env: ReadonlyMap<string, EnvironmentTemplate>;
}

/** Sends requests to the system's own control endpoint. */
export interface HttpActuator {
  readonly kind: 'http';
  readonly inject: HttpRequest;
  /** Holds no parameter. */
  readonly reset: HttpRequest;
  readonly timeoutMs: number;
}

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface HttpRequest {
  readonly method: (typeof HTTP_METHODS)[number];
  /** http or https; values are to be percent-encoded, and none is part of the host. */
  readonly url: Template;
  readonly headers: ReadonlyMap<string, EnvironmentTemplate>;
  readonly body?: JsonTemplate;
}

export const FILE_FORMATS = ['json', 'toml'] as const;

/** Writes into a file, which a reset puts back as it was. */
export interface FileActuator {
  readonly kind: 'file';
  readonly path: string;
  /** Whether to write into the file that is there, instead of replacing it. */
  readonly inPlace: boolean;
  readonly content:
    | { readonly kind: 'template'; readonly template: Template }
    | {
        readonly kind: 'key';
        readonly format: (typeof FILE_FORMATS)[number];
        /** The keys that lead to the value, from the root; at least one. */
        readonly key: readonly string[];
        readonly value: ValueTemplate;
      };
}

/** Calls `inject(mutation, params)` and `reset()` of an ES module. */
export interface ModuleActuator {
  readonly kind: 'module';
  readonly path: string;
  readonly timeoutMs: number;
  /** Variables that the module gets beside those of Perturb's own environment. */
  readonly env: ReadonlyMap<string, EnvironmentTemplate>;
}
