import { listOf, quote, suggester } from '../../diagnostics/index.js';
import { selectedByTags } from '../../mutators/model/index.js';
import type { CatalogRule } from '../draft.js';
import { objectiveExample, tagExample } from './example.js';
import { namedBy, tagsOf } from './targets.js';

export const unknownTag: CatalogRule = {
  id: 'catalog/unknown-tag',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'no mutator has that tag',
  why: 'The tag selects nothing; perhaps another one was meant.',
  action: 'Correct the tag, or remove it.',
  examples: {
    fails: tagExample('["simulator", "netwrok"]'),
    passes: tagExample('["simulator", "network"]'),
  },
  check({ document, catalog, objective }, report) {
    const tags = objective.mutation_constraints?.keys.mutator_tags ?? [];
    if (tags.length === 0) return;
    const helpFor = suggester([...catalog.tags]);
    for (const [index, tag] of tags.entries()) {
      if (tag === undefined || catalog.tags.has(tag)) continue;
      report({
        message: `no mutator has the tag ${quote(tag)}`,
        ...(catalog.tags.size === 0 ? { help: 'no mutator has any tags' } : helpFor(tag)),
        span: document.valueSpan(['mutation_constraints', 'mutator_tags', index]),
      });
    }
  },
};

export const nothingSelected: CatalogRule = {
  id: 'catalog/nothing-selected',
  severity: 'error',
  summary: '`mutator_tags` leaves no mutator at all',
  why: 'No mutation can ever be made, so every run is the same as one without mutations.',
  action: 'List a tag that a mutator has, or remove `mutator_tags` to consider them all.',
  examples: { fails: tagExample('[]'), passes: tagExample('["simulator"]') },
  check(draft, report) {
    const { document, catalog } = draft;
    const tags = tagsOf(draft);
    // A tag that no mutator has is one mistake, and reported as such.
    if (tags === undefined || tags.some((tag) => !catalog.tags.has(tag))) return;
    if (selectedByTags(catalog.mutators, tags).length > 0) return;
    report({
      message: '"mutator_tags" leaves no mutator to mutate',
      help:
        catalog.tags.size === 0
          ? 'remove it: no mutator has any tags'
          : `expected one of ${listOf([...catalog.tags])}`,
      span: document.valueSpan(['mutation_constraints', 'mutator_tags']),
    });
  },
};

export const mutatorExcluded: CatalogRule = {
  id: 'catalog/mutator-excluded',
  severity: 'warning',
  summary: 'a `mutator` table whose mutator the tags exclude',
  why: 'The table has no effect: its mutator is never considered.',
  action: "Add one of the mutator's tags to `mutator_tags`, or remove the table.",
  examples: {
    fails: tagExample('["network"]', '\n[[mutator]]\nname = "wind"'),
    passes: tagExample('["network", "simulator"]', '\n[[mutator]]\nname = "wind"'),
  },
  check(draft, report) {
    const { document, mutators } = draft;
    const tags = tagsOf(draft);
    if (tags === undefined) return;
    // Tags that exclude every mutator are one mistake, and reported as such.
    if (selectedByTags(draft.catalog.mutators, tags).length === 0) return;
    for (const table of mutators) {
      const targets = namedBy(draft, table);
      if (targets.length === 0 || selectedByTags(targets, tags).length > 0) continue;
      const own = [...new Set(targets.flatMap((target) => target.tags))];
      report({
        message: `mutator ${quote(table.keys.name ?? '')} has none of the tags in "mutator_tags"`,
        help: own.length === 0 ? 'it has no tags at all' : `its tags: ${own.map(quote).join(', ')}`,
        span: document.valueSpan([...table.path, 'name']),
        related: [
          {
            message: 'only these are considered',
            span: document.valueSpan(['mutation_constraints', 'mutator_tags']),
          },
        ],
      });
    }
  },
};

export const tooFewMutators: CatalogRule = {
  id: 'catalog/too-few-mutators',
  severity: 'warning',
  summary: '`max_concurrent_mutations` is above the number of mutators that can be mutated',
  why: 'A mutator has one mutation at a time, so this number is never reached.',
  action: 'Lower the number, or let more mutators be considered.',
  examples: {
    fails: objectiveExample('[mutation_constraints]\nmax_concurrent_mutations = 3'),
    passes: objectiveExample('[mutation_constraints]\nmax_concurrent_mutations = 2'),
  },
  check(draft, report) {
    const { document, catalog, objective, mutators, misfits } = draft;
    const most = objective.mutation_constraints?.keys.max_concurrent_mutations;
    const tags = tagsOf(draft);
    const named = mutators.map((table) => namedBy(draft, table));
    // What is misspelt is reported as such.
    if (most === undefined || misfits.length > 0 || named.some(({ length }) => length === 0))
      return;
    if (tags?.some((tag) => !catalog.tags.has(tag))) return;
    const inTables = mutators.length === 0 ? catalog.mutators : [...new Set(named.flat())];
    const count = (tags === undefined ? inTables : selectedByTags(catalog.mutators, tags)).length;
    if (count === 0 || most <= count) return;
    report({
      message: `only ${count} ${count === 1 ? 'mutator' : 'mutators'} can be mutated at the same time`,
      help: `write a number of at most ${count}`,
      instead: String(count),
      span: document.valueSpan(['mutation_constraints', 'max_concurrent_mutations']),
    });
  },
};
