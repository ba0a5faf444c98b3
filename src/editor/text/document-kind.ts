/** What a TOML file is for Perturb. */
export type DocumentKind = 'objective' | 'manifest' | 'config';

/** What a file is by its name, or else, for any other TOML file, by what stands in it. */
export function kindOf(path: string, text: string): DocumentKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'perturb.toml') return 'config';
  if (name.endsWith('.objective.toml')) return 'objective';
  if (name === 'mutators.toml' || name.endsWith('.mutators.toml')) return 'manifest';
  if (!name.endsWith('.toml')) return undefined;
  return /^[ \t]*\[\[[ \t]*measurement[ \t]*\]\]/m.test(text) ? 'objective' : undefined;
}
