import { Argument } from 'commander';
import { loadManifest, manifestRules } from '../../mutators/index.js';
import { tomlRules } from '../../toml/index.js';
import { checkEach } from '../files/check-files.js';
import { discover, manifestFiles } from '../files/discover.js';
import { addReportFlags, type ReportFlags, refuseToReplace, report } from '../files/report.js';
import type { Configure, Run } from '../runtime/command.js';

interface Flags extends ReportFlags {
  readonly stdinFilename?: string;
}

export const help = `
In a directory it finds mutators.toml and *.mutators.toml, except for what git
ignores.
Exit codes: 0 nothing at error level, 1 errors found, 2 wrong usage.

Examples:
  perturb mutators lint bench/mutators.toml
  perturb mutators lint --format github --format sarif=manifests.sarif
`;

export const configure: Configure = (command) => {
  command.addArgument(
    new Argument('[paths...]', 'files, directories, globs, or - for stdin').default(
      ['.'],
      'the working directory',
    ),
  );
  addReportFlags(command).option('--stdin-filename <path>', 'the name to show for stdin');
};

export const run: Run<Flags, [readonly string[]]> = async ({ io, color }, [paths], flags) => {
  const { files, problems } = await discover(paths, { cwd: io.cwd, kind: manifestFiles });
  const { stdinFilename } = flags;
  refuseToReplace(io.cwd, flags.format, files);
  const checked = await checkEach(
    io,
    files,
    stdinFilename === undefined ? {} : { stdinFilename },
    (decoded) => loadManifest(decoded).findings,
  );
  return report(io, color, flags, {
    findings: checked.findings,
    fileCount: checked.fileCount,
    rules: [...tomlRules, ...manifestRules],
    unread: [...problems, ...checked.unread],
  });
};
