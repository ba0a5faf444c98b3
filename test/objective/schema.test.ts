import { expect, test } from 'vitest';
import { objectiveSchema } from '../../src/objective/index.js';

test('the JSON Schema tells editors what the format of an objective is', async () => {
  const schema = objectiveSchema();
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
    '../../grammar/objective.schema.json',
  );
});
