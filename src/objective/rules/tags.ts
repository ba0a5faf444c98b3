import {
  adviseOn,
  duplicatesIn,
  listOf,
  quote,
  suggest,
  suggester,
} from '../../diagnostics/index.js';
import { selectByTags } from '../../mutators/model/index.js';
import { writeString } from '../../toml/index.js';
import type { CatalogRule, ObjectiveRule } from '../draft.js';
import { tagExample } from './example.js';
import { mutatorsNamedBy, tagsOf } from './targets.js';

const TAGS = ['mutation_constraints', 'mutator_tags'];
const NO_TAGS_HELP = 'remove "mutator_tags", because no mutator has any tags';

export const duplicateTag: ObjectiveRule = {
  id: 'objective/duplicate-tag',
  severity: 'warning',
  summary: 'a duplicate tag in `mutator_tags`',
  why: 'The duplicate has no effect, and may be a typo for another tag.',
  action: 'Correct the tag, or remove it.',
  examples: {
    fails: tagExample('["simulator", "simulator"]'),
    passes: tagExample('["simulator", "network"]'),
  },
  check({ document, objective }, report) {
    const tags = objective.mutation_constraints?.keys.mutator_tags ?? [];
    const spanOf = (index: number) => document.valueSpan([...TAGS, index]);
    for (const [[index, tag = ''], [first]] of duplicatesIn(tags.entries(), ([, tag]) => tag)) {
      report({
        message: `duplicate tag ${quote(tag)}`,
        span: spanOf(index),
        related: [{ message: 'the first occurrence', span: spanOf(first) }],
      });
    }
  },
};

export const unknownTag: CatalogRule = {
  id: 'catalog/unknown-tag',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'a tag in `mutator_tags` that no mutator has',
  why: 'A tag without a mutator selects nothing, and may be a typo.',
  action: 'Correct the tag, or remove it.',
  examples: {
    fails: tagExample('["simulator", "netwrok"]'),
    passes: tagExample('["simulator", "network"]'),
  },
  check({ document, catalog, objective }, report) {
    const tags = objective.mutation_constraints?.keys.mutator_tags ?? [];
    const isUnknown = (tag: string | undefined) => tag !== undefined && !catalog.tags.has(tag);
    // A separate finding reports tags that no mutator has, as one mistake.
    if (tags.every(isUnknown)) return;
    const helpFor = suggester([...catalog.tags]);
    for (const [index, tag = ''] of tags.entries()) {
      if (!isUnknown(tags[index])) continue;
      report({
        message: `no mutator has the tag ${quote(tag)}`,
        ...helpFor(tag),
        span: document.valueSpan([...TAGS, index]),
      });
    }
  },
};

export const nothingSelected: CatalogRule = {
  id: 'catalog/nothing-selected',
  severity: 'error',
  fixable: 'suggested',
  summary: '`mutator_tags` excludes every mutator',
  why: 'No mutation is possible, so every attempt runs without mutations.',
  action: "List a mutator's tag, or remove `mutator_tags` to consider all mutators.",
  examples: { fails: tagExample('["simulater"]'), passes: tagExample('["simulator"]') },
  check(draft, report) {
    const { document, catalog } = draft;
    const tags = tagsOf(draft);
    if (tags === undefined || selectByTags(catalog.mutators, tags).length > 0) return;
    const [tag = '', ...moreTags] = new Set(tags);
    const span = document.valueSpan(TAGS);
    if (moreTags.length > 0) {
      report({
        message: `no mutator has any of the tags ${listOf([tag, ...moreTags])}`,
        help: catalog.tags.size === 0 ? NO_TAGS_HELP : suggest('', [...catalog.tags]),
        span,
      });
      return;
    }
    const { help = NO_TAGS_HELP, instead } = adviseOn(tag, [...catalog.tags]);
    const replacement = instead === undefined ? undefined : writeString(instead);
    report({
      message: `no mutator has the tag ${quote(tag)}`,
      help,
      instead: replacement && `[${replacement}]`,
      span,
    });
  },
};

export const mutatorExcluded: CatalogRule = {
  id: 'catalog/mutator-excluded',
  severity: 'warning',
  summary: 'a `mutator` table for a mutator excluded by `mutator_tags`',
  why: 'The table has no effect, because its mutator is never considered.',
  action: "Add one of the mutator's tags to `mutator_tags`, or remove the table.",
  examples: {
    fails: tagExample('["network"]', '\n[[mutator]]\nname = "wind"'),
    passes: tagExample('["network", "simulator"]', '\n[[mutator]]\nname = "wind"'),
  },
  check(draft, report) {
    const { document, mutators } = draft;
    const tags = tagsOf(draft);
    if (tags === undefined) return;
    // A separate finding reports tags that exclude every mutator, as one mistake.
    if (selectByTags(draft.catalog.mutators, tags).length === 0) return;
    for (const table of mutators) {
      const targets = mutatorsNamedBy(draft, table);
      if (targets.length === 0 || selectByTags(targets, tags).length > 0) continue;
      const ownTags = [...new Set(targets.flatMap((target) => target.tags))];
      report({
        message: `mutator ${quote(table.keys.name ?? '')} has none of the tags in "mutator_tags"`,
        help:
          ownTags.length === 0
            ? 'the mutator has no tags'
            : `the mutator's tags: ${ownTags.map(quote).join(', ')}`,
        span: document.valueSpan([...table.path, 'name']),
        related: [
          {
            message: 'only mutators with these tags are considered',
            span: document.valueSpan(TAGS),
          },
        ],
      });
    }
  },
};
