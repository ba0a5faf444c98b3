import { requireValue, table } from '../../toml/index.js';
import {
  checkDuration,
  checkVariables,
  environmentEntry,
  type KindDraft,
  type KindFormat,
  kindEntry,
  pathEntry,
  textsByName,
  timeoutEntry,
  timeoutOf,
  variableSites,
} from '../format-parts.js';

/** An actuator that calls an ES module's `inject(mutation, params)` and `reset()`. */
export interface ModuleActuator {
  readonly kind: 'module';
  readonly path: string;
  readonly timeoutMs: number;
  /** Environment variables for the module, in addition to Perturb's own environment. */
  readonly env: ReadonlyMap<string, string>;
}

const format = table({
  kind: kindEntry('module', 'Calls `inject(mutation, params)` and `reset()` of an ES module.'),
  path: pathEntry('The module', './wind.js'),
  timeout: timeoutEntry,
  env: environmentEntry('the module'),
});

export type ModuleDraft = KindDraft<'module', typeof format>;

export const moduleKind = {
  format,
  read: ({ keys }) => ({
    kind: 'module',
    path: requireValue(keys.path),
    timeoutMs: timeoutOf(keys.timeout),
    env: textsByName(keys.env),
  }),
  checkValues(document, { path, keys }, report) {
    checkDuration(document, [...path, 'timeout'], keys.timeout, report);
    checkVariables(document, keys.env, report);
  },
  sites: ({ keys }) => variableSites(keys.env),
  secrets: ({ env }) => [...env.values()],
} satisfies KindFormat<ModuleDraft, ModuleActuator>;
