import { toJsonSchema } from '../toml/index.js';
import { objectiveFormat } from './format.js';

/** The JSON Schema of objectives, for editors. */
export function objectiveSchema(options: { readonly title: string; readonly id?: string }): object {
  return toJsonSchema(objectiveFormat, options);
}
