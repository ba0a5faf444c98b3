import type { Candidate } from '../../src/store/index.js';

/** A candidate with that name; other `attempts` are another meaning. */
export function candidate(name: string, attempts = 1): Candidate {
  return {
    name,
    original: Buffer.from(`\ufeff# ${name}\r\nattempts = ${attempts}\0`),
    canonical: `{"name":${JSON.stringify(name)},"attempts":${attempts}}`,
    summary: { measurements: 1, mutators: 2, stop: `{"attempts":${attempts}}` },
    origin: { rules: '1.0.0', path: 'objectives/a.toml', commit: 'c0ffee' },
  };
}
