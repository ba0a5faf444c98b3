import { type ExecActuator, type ExecDraft, execKind } from './exec/format.js';
import { type FileActuator, type FileDraft, fileKind } from './file/format.js';
import { type KindFormat, timeoutOf } from './format-parts.js';
import { type HttpActuator, type HttpDraft, httpKind } from './http/format.js';
import { type ModuleActuator, type ModuleDraft, moduleKind } from './module/format.js';

export type { Mutation, ParameterValues } from './actuator.js';
export { writeMutation } from './actuator.js';
export { checkDuration, missingKeyViolation, type PlaceholderSite } from './format-parts.js';
export { type Placeholder, type Placeholders, placeholdersIn, variablesIn } from './template.js';
export {
  type Check,
  checkVerificationKeys,
  checkVerificationValues,
  type EffectVerification,
  type Probe,
  readVerification,
  type VerificationDraft,
  verificationFormat,
  verificationSites,
  verificationTexts,
} from './verify/format.js';

/** Actuator kinds, in display order. The module `acting` creates their actuators. */
const kinds: Readonly<Record<ActuatorKind, unknown>> = {
  exec: execKind,
  http: httpKind,
  file: fileKind,
  module: moduleKind,
};

export type ActuatorKind = Actuator['kind'];

export const ACTUATOR_KINDS = Object.keys(kinds) as ActuatorKind[];

/** The configuration of a mutator's actuator. Paths are relative to the manifest's directory. */
export type Actuator = ExecActuator | HttpActuator | FileActuator | ModuleActuator;

/** The table of an actuator with a known kind. */
export type ActuatorDraft = ExecDraft | HttpDraft | FileDraft | ModuleDraft;

/** Returns the format, checks and reader of an actuator kind. */
export function actuatorKindOf({
  kind,
}: {
  readonly kind: ActuatorKind;
}): KindFormat<ActuatorDraft, Actuator> {
  return kinds[kind] as KindFormat<ActuatorDraft, Actuator>;
}

/** Returns the timeout for an actuator's actions, in milliseconds. */
export function timeoutIn(actuator: Actuator): number {
  return 'timeoutMs' in actuator ? actuator.timeoutMs : timeoutOf(undefined);
}
