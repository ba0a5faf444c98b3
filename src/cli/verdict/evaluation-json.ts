import type { Binding, Evaluation } from '../../evaluation/index.js';
import { type Json, type JsonObject, jsonNumber } from '../../values/index.js';

/** What an expression came to, for scripts: the members after its name. */
export function evaluationToJson(evaluation: Evaluation): JsonObject {
  const { bindings, measures, labels, evidence, method, undecided } = evaluation;
  return {
    ...(bindings !== undefined && { bindings }),
    measures: measures.map(({ text, left, right, holds }) => ({
      ...{ text, left, right },
      ...(holds !== undefined && { holds }),
    })),
    labels: labels.map(({ label, matched, filtered, ordered }) => ({
      label,
      matched: number(matched),
      filtered: number(filtered),
      ordered: number(ordered),
    })),
    evidence: evidence.map(({ why, of, binding }) => ({
      why,
      ...(of !== undefined && { of }),
      binding: bindingToJson(binding),
    })),
    method,
    ...(undecided !== undefined && { undecided: { ...undecided } }),
  };
}

/** For each label its event; a `seq` beyond 2^53 is a string. */
export function bindingToJson(binding: Binding): JsonObject {
  return Object.fromEntries(
    Object.entries(binding).map(([label, { probe, seq }]): [string, Json] => [
      label,
      { probe, seq: typeof seq === 'number' ? number(seq) : seq },
    ]),
  );
}

function number(value: number): Json {
  return jsonNumber(String(value));
}
