import type { ReportFn } from '../diagnostics/index.js';
import type { TableFormat, TomlDocument } from '../toml/index.js';
import { type ExecActuator, type ExecDraft, execKind } from './exec/format.js';
import { type FileActuator, type FileDraft, fileKind } from './file/format.js';
import type { KeyOf, KindFormat, PlaceholderSite } from './format-parts.js';
import { type HttpActuator, type HttpDraft, httpKind } from './http/format.js';
import { type ModuleActuator, type ModuleDraft, moduleKind } from './module/format.js';
import type { EnvironmentTemplate } from './template.js';

export type { Mutation, ParameterValues } from './actuator.js';
export { writeMutation } from './actuator.js';
export { checkDuration, missing, type PlaceholderSite, toMs } from './format-parts.js';
export { type Placeholder, placeholdersIn, toAttribute } from './template.js';

/** Every kind of actuator, in the order in which they are shown. What acts is behind `acting`. */
const kinds: Readonly<Record<ActuatorKind, unknown>> = {
  exec: execKind,
  http: httpKind,
  file: fileKind,
  module: moduleKind,
};

export type ActuatorKind = Actuator['kind'];

export const ACTUATOR_KINDS = Object.keys(kinds) as ActuatorKind[];

/** How a mutator acts on the system. Paths are as in the manifest: relative to its directory. */
export type Actuator = ExecActuator | HttpActuator | FileActuator | ModuleActuator;

/** The table of an actuator of a known kind. */
export type ActuatorDraft = ExecDraft | HttpDraft | FileDraft | ModuleDraft;

/** What `[mutator.actuator]` may hold, for a kind. */
export function formatOfKind(kind: ActuatorKind): TableFormat {
  return kindOf({ kind }).format;
}

function kindOf({ kind }: { readonly kind: ActuatorKind }): KindFormat<ActuatorDraft, Actuator> {
  return kinds[kind] as KindFormat<ActuatorDraft, Actuator>;
}

/** The actuator of a table without findings. */
export function readActuator(draft: ActuatorDraft, keyOf: KeyOf): Actuator {
  return kindOf(draft).read(draft, keyOf);
}

/** Reports keys that are missing for the values of other keys. */
export function checkActuatorKeys(
  document: TomlDocument,
  draft: ActuatorDraft,
  report: ReportFn,
): void {
  kindOf(draft).checkKeys?.(document, draft, report);
}

/** Reports values that cannot be meant. */
export function checkActuatorValues(
  document: TomlDocument,
  draft: ActuatorDraft,
  report: ReportFn,
): void {
  kindOf(draft).checkValues(document, draft, report);
}

/** The texts of an actuator in which placeholders may stand. */
export function sitesIn(draft: ActuatorDraft): readonly PlaceholderSite[] {
  return kindOf(draft).sites(draft);
}

/** The texts of an actuator that take values from environment variables, which may be secrets. */
export function secretsIn(actuator: Actuator): readonly EnvironmentTemplate[] {
  return kindOf(actuator).secrets(actuator);
}
