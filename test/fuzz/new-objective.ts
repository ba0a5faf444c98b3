import { createCatalog, type Mutator, selectByTags } from '../../src/mutators/index.js';
import { lint, newObjective } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { hold, kindOf } from './target.js';

/** The objectives that are made from mutators, from all or by a tag, have no finding with them. */
export function holdNewObjective(mutators: readonly Mutator[]): void {
  const catalog = createCatalog(mutators.map((one) => ({ ...one, origin: 'fuzz' })));
  const [tag] = catalog.tags;
  for (const tags of tag === undefined ? [[]] : [[], [tag]]) {
    const selected = tags.length === 0 ? catalog.mutators : selectByTags(catalog.mutators, tags);
    const text = newObjective('Fuzz', { catalog, selected, tags });
    const [finding] = lint(decodeSource('', Buffer.from(text)), { catalog });
    hold(finding === undefined, `a new objective has: ${finding && kindOf(finding.message)}`);
  }
}
