import { expect, test } from 'vitest';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { roll } from '../dice.js';
import { isLong } from '../long.js';
import { rightFile } from './right-files.js';

const FILES = isLong ? 10_000 : 250;

test(`${FILES} random right files have no finding`, () => {
  for (let seed = 1; seed <= FILES; seed += 1) {
    const { text, catalog } = rightFile(roll(seed));
    const findings = lint(decodeSource('x.toml', Buffer.from(text)), { catalog });
    const shown = findings.map(({ rule, message }) => `${rule} ${message}`);
    expect(shown, `seed ${seed}\n${text}`).toEqual([]);
  }
}, 600_000);
