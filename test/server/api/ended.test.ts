import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  END_CAUSES,
  readEndedMutations,
  writeEndedMutations,
} from '../../../src/mutators/index.js';
import { directoryWith } from '../../cli/program.js';
import { runs } from '../../long.js';
import { startServer } from '../programs/server-program.js';

const MANIFEST = `[[mutator]]
name = "level"
max_active = "10min"
[mutator.actuator]
kind = "file"
path = "level"
template = "1"
`;

const uuid = (at: number) => `6f1c3a1e-58b5-4f5c-a2c4-${String(at).padStart(12, '0')}`;

/** Asks a server on behalf of a run. @returns the status, and the mutation and cause of each that ended */
function asRun(url: string, run?: string) {
  return async (method: 'GET' | 'POST' | 'DELETE', mutation = uuid(0)) => {
    const path = method === 'GET' ? '/mutator' : '/mutator/level/mutation';
    const response = await fetch(url + path, {
      method,
      ...(method === 'POST' && { body: JSON.stringify({ mutation, params: {} }) }),
      ...(run !== undefined && { headers: { 'perturb-run': run } }),
    });
    await response.arrayBuffer();
    const ended = readEndedMutations(response.headers.get('perturb-ended') ?? '');
    return [response.status, ...ended.map((one) => `${one.mutation} ${one.cause}`)];
  };
}

test('a run is told which of its mutations others ended, and nobody else is', async () => {
  const cwd = directoryWith({ 'mutators.toml': MANIFEST });
  const { url } = await startServer(['mutators.toml'], { cwd });
  const [own, other, nobody] = [asRun(url, 'one'), asRun(url, 'two'), asRun(url)];
  expect(await own('POST', uuid(1))).toEqual([201]);
  expect(await own('DELETE')).toEqual([200]);
  expect(await own('POST', uuid(2))).toEqual([201]);
  expect(await nobody('DELETE')).toEqual([200]);
  expect(await own('GET')).toEqual([200, `${uuid(2)} reset`]);
  expect(await other('GET')).toEqual([200]);
  expect(await nobody('GET')).toEqual([200]);
  expect(await own('POST', uuid(3))).toEqual([201, `${uuid(2)} reset`]);
  expect(await nobody('POST', uuid(4))).toEqual([201]);
  expect(await own('DELETE')).toEqual([200, `${uuid(2)} reset`, `${uuid(3)} replaced`]);
  // One that is injected again is in force again.
  expect(await own('POST', uuid(2))).toEqual([201, `${uuid(3)} replaced`]);
  expect(await own('DELETE')).toEqual([200, `${uuid(3)} replaced`]);
});

test('the header is read as it was written, and of any other text nothing is invented', () => {
  const one = fc.record({
    mutation: fc.uuid(),
    time: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map(Number),
    cause: fc.constantFrom(...END_CAUSES),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 32 }), (ended) => {
      expect(readEndedMutations(writeEndedMutations(ended))).toEqual(ended);
    }),
    { numRuns: runs(200) },
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readEndedMutations(text)).toEqual([]);
    }),
    { numRuns: runs(200) },
  );
});
