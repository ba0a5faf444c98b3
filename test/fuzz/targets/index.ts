import type { Target } from '../target.js';
import { configTarget } from './config.js';
import { editorTarget } from './editor.js';
import { expressionTarget } from './expression.js';
import { manifestTarget } from './manifest.js';
import { objectiveTarget } from './objective.js';
import { serverTarget } from './server.js';
import { wireTarget } from './wire.js';

/** Everything there is to fuzz, by name; what a target needs is made when it is asked for. */
export const targets: Readonly<Record<string, () => Target | Promise<Target>>> = {
  expression: expressionTarget,
  objective: objectiveTarget,
  manifest: manifestTarget,
  config: configTarget,
  editor: editorTarget,
  wire: wireTarget,
  server: serverTarget,
};
