/*
 * What the package says of itself; a test holds it equal to package.json's.
 */

export const version = '0.1.0';

/**
 * Where the project is found. A placeholder until it has a public address;
 * `test/version.test.ts` lists every file that shows it.
 */
export const homepage = 'https://github.com/OWNER/perturb';

/** The JSON Schema of objectives, for editors. */
export const objectiveSchemaUrl = `${homepage}/raw/main/grammar/objective.schema.json`;

/** The page of a rule. */
export function rulePageUrl(id: string): string {
  return `${homepage}/blob/main/docs/rules/${id}.md`;
}
