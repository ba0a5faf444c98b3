import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configRules } from '../../src/config/rules.js';
import { CLEAN, directoryWith, perturb, WARNED, WRONG } from './program.js';

const lint = ['objective', 'lint'];

async function filesOf(args: readonly string[], cwd: string): Promise<string[]> {
  const { stdout } = await perturb([...lint, '-f', 'json', ...args], { cwd });
  return JSON.parse(stdout).findings.map((finding: { file: string }) => finding.file);
}

test('include and exclude count from the directory of perturb.toml, found upwards', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\ninclude = ["designs/**/*.toml"]\nexclude = ["designs/drafts/**"]\n',
    'designs/a.toml': WRONG,
    'designs/deep/b.toml': WRONG,
    'designs/drafts/c.toml': WRONG,
    'designs/drafts/e.objective.toml': WRONG,
    'd.objective.toml': WRONG,
  });
  expect(await filesOf([], cwd)).toEqual(['designs/a.toml', 'designs/deep/b.toml']);
  expect(await filesOf([], join(cwd, 'designs'))).toEqual(['a.toml', 'deep/b.toml']);
  expect(await filesOf(['.'], cwd)).toEqual(['d.objective.toml']);
  expect(await filesOf(['d*/**/*.toml'], cwd)).toEqual(['designs/a.toml', 'designs/deep/b.toml']);
  expect(await filesOf(['designs/drafts/c.toml'], cwd)).toEqual(['designs/drafts/c.toml']);
});

test.each(['drafts', 'drafts/', './drafts/', 'd*s', 'drafts/**'])(
  'exclude = ["%s"] leaves out all that is in the directory',
  async (glob) => {
    const cwd = directoryWith({
      'perturb.toml': `[lint]\ninclude = ["**/*.objective.toml"]\nexclude = ["${glob}"]\n`,
      'a.objective.toml': WRONG,
      'drafts/b.objective.toml': WRONG,
      'drafts/deep/c.objective.toml': WRONG,
    });
    const { stdout, stderr } = await perturb([...lint, '-f', 'compact'], { cwd });
    expect(stdout.match(/^[^:]+/gm)).toEqual(['a.objective.toml']);
    expect(stderr).toBe('');
    expect(await filesOf(['.'], cwd)).toEqual(['a.objective.toml']);
    expect(await filesOf(['drafts/b.objective.toml'], cwd)).toEqual(['drafts/b.objective.toml']);
  },
);

test('levels change severities and leave findings out', async () => {
  const cwd = directoryWith({
    'perturb.toml':
      '[lint.rules]\n"objective/unknown-key" = "warn"\n"objective/no-stopping-condition" = "error"\n',
    'a.toml': WRONG,
    'b.toml': WARNED,
  });
  const { code, stdout } = await perturb([...lint, '-f', 'compact', 'a.toml', 'b.toml'], { cwd });
  expect(code).toBe(1);
  expect(stdout.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'a.toml:1:1: warning objective/unknown-key:',
    'b.toml:1:1: error objective/no-stopping-condition:',
    '',
  ]);
  const off = directoryWith({
    'perturb.toml': '[lint.rules]\n"objective/unknown-key" = "off"\n',
    'a.toml': WRONG,
  });
  expect(await perturb([...lint, 'a.toml'], { cwd: off })).toEqual({
    code: 0,
    stdout: 'no problems in 1 file\n',
    stderr: '',
  });
});

test('a group of rules has a level, as --only names it; that of a rule itself comes first', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint.rules]\n"objective/unknown-key" = "warn"\n"objective/*" = "off"\n',
    ...{ 'a.toml': WRONG, 'b.toml': WARNED },
  });
  const { code, stdout } = await perturb([...lint, '-f', 'compact', 'a.toml', 'b.toml'], { cwd });
  expect([code, stdout.split(' ').slice(0, 3)]).toEqual([
    0,
    ['a.toml:1:1:', 'warning', 'objective/unknown-key:'],
  ]);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const wrong = '[lint.rules]\n"objectives/*" = "off"\n"toml/syntax" = "warning"\n';
  const other = directoryWith({ 'perturb.toml': wrong, 'a.toml': CLEAN });
  const refused = await perturb([...lint, 'a.toml'], { cwd: other });
  expect(refused.stderr).toContain('unknown group "objectives/*"');
  expect(refused.stderr).toContain('help: did you mean "objective/*"?');
  expect(refused.stderr).toContain('"toml/syntax" cannot be "warning"');
  expect(refused.stderr).toContain('help: write "warn"');
});

test('a group leaves alone what is only reported where it is asked for', async () => {
  const trace = "MATCH (name = 'CRASH' AND delay - 1 < 100) AS crash AGGREGATE count() = 0";
  const cwd = directoryWith({
    'perturb.toml': '[lint.rules]\n"expression/*" = "error"\n',
    'a.toml': CLEAN.replace(/^check = .*$/m, `check = "${trace}"`),
  });
  expect(await perturb([...lint, 'a.toml'], { cwd })).toMatchObject({ code: 0 });
});

test('extensions of the language are allowed, unless perturb.toml warns of them or forbids them', async () => {
  const trace = "MATCH (name = 'CRASH' AND delay - 1 < 100) AS crash AGGREGATE count() = 0";
  const objective = CLEAN.replace(/^check = .*$/m, `check = "${trace}"`);
  const levelsWith = async (config: string) => {
    const cwd = directoryWith({ 'perturb.toml': config, 'a.toml': objective });
    const runs = [
      await perturb([...lint, '-f', 'json', 'a.toml'], { cwd }),
      await perturb(['expression', 'check', '-f', 'json', trace], { cwd }),
    ];
    return runs.map(({ code, stdout }) => [
      code,
      ...JSON.parse(stdout).findings.map(
        ({ rule, severity }: { rule: string; severity: string }) => `${severity} ${rule}`,
      ),
    ]);
  };
  const both = (...outcome: unknown[]) => [outcome, outcome];
  const extensions = (value: string) => levelsWith(`[language]\nextensions = ${value}\n`);
  expect(await levelsWith('')).toEqual(both(0));
  expect(await extensions('true')).toEqual(both(0));
  expect(await extensions('"allow"')).toEqual(both(0));
  expect(await extensions('"warn"')).toEqual(both(0, 'warning expression/extension'));
  expect(await extensions('"error"')).toEqual(both(1, 'error expression/extension'));
  expect(await extensions('false')).toEqual(both(1, 'error expression/extension'));
  const written = '[lint.rules]\n"expression/extension" = "warn"\n';
  expect(await levelsWith(`[language]\nextensions = false\n\n${written}`)).toEqual(
    both(0, 'warning expression/extension'),
  );
});

test('mistakes in perturb.toml: a report on stderr, nothing on stdout, and 2', async () => {
  const cwd = directoryWith({
    'perturb.toml': `[lint]
includ = []
exclude = "drafts"

[lint.rules]
"expression/unquoted" = "off"
"toml/syntax" = "off"
"expression/always-true" = "warning"

[servers.bench]
api_key_env = "KEY"
`,
    'a.toml': CLEAN,
  });
  const { code, stdout, stderr } = await perturb([...lint, '-f', 'json', 'a.toml'], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  await expect(stderr).toMatchFileSnapshot('../../fixtures/reporters/config.txt');
});

test('a glob that matches nothing is a warning, and the run goes on', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\ninclude = ["*.objective.toml", "x/*.toml"]\nexclude = ["y/**"]\n',
    'a.objective.toml': CLEAN,
  });
  const { code, stdout, stderr } = await perturb(lint, { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'no problems in 1 file\n' });
  expect(stderr).toContain('warning[config/no-match]: no file matches "x/*.toml"');
  expect(stderr).toContain('perturb.toml:2:32');
  expect(stderr).toContain('warning[config/no-match]: no file matches "y/**"');
});

test('include that matches no file at all is wrong usage', async () => {
  const cwd = directoryWith({ 'perturb.toml': '[lint]\ninclude = ["x/*.toml"]\n' });
  const { code, stdout, stderr } = await perturb(lint, { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('perturb: no file matches "include" in perturb.toml\n');
});

test('a mandatory rule keeps its severity', async () => {
  const objective = CLEAN.replace('count() = 0', 'count() =');
  const lintWith = (level: string) =>
    perturb([...lint, '-f', 'compact', 'a.toml'], {
      cwd: directoryWith({
        'perturb.toml': `[lint.rules]\n"expression/syntax" = "${level}"\n`,
        'a.toml': objective,
      }),
    });
  for (const [level, what] of [
    ['warn', 'have a different severity'],
    ['off', 'be turned off'],
  ] as const) {
    const { code, stderr } = await lintWith(level);
    expect(code).toBe(2);
    expect(stderr).toContain(`rule "expression/syntax" cannot ${what}`);
  }
});

test('--config names another file', async () => {
  const cwd = directoryWith({
    'perturb.toml': 'broken = ',
    'other.toml': '[lint.rules]\n"objective/unknown-key" = "off"\n',
    'a.toml': WRONG,
  });
  const { code } = await perturb([...lint, 'a.toml', '--config', 'other.toml'], { cwd });
  expect(code).toBe(0);
  expect(await perturb([...lint, 'a.toml', '--config', 'no.toml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: cannot read no.toml: no such file or directory\n',
  });
});

test.each(configRules)(
  'the examples of $id fail and pass as they say',
  async ({ id, examples }) => {
    const stderrOf = async (config: string): Promise<string> => {
      const cwd = directoryWith({
        'perturb.toml': config,
        'a.objective.toml': CLEAN,
        'drafts/b.objective.toml': CLEAN,
        'listing.json': '[{"mutator_correlation_id":"wind","attributes":{"mutator.name":"wind"}}]',
      });
      return (await perturb([...lint, '--mutators', 'listing.json'], { cwd })).stderr;
    };
    const found = (await stderrOf(examples.fails)).match(/(?<=\[)config\/[a-z-]+(?=\])/g);
    expect(found).toEqual([id]);
    expect(await stderrOf(examples.passes)).not.toContain('config/');
  },
);
