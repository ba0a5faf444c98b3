import type { ParamDraft } from '../draft.js';

/** The key of the parameter that a placeholder names, by its name or else by its key. */
export function keyOfPlaceholder(params: readonly ParamDraft[], name: string): string | undefined {
  const named = params.find(({ keys }) => keys.name === name);
  return (named ?? params.find(({ key }) => key === name))?.key;
}
