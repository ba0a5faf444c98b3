/* Reads the files of a directory and parses them as TOML. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

const [, , directory = '.'] = process.argv;
for (const name of readdirSync(directory)) parse(readFileSync(`${directory}/${name}`, 'utf8'));
