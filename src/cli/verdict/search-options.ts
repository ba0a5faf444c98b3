import { type Command, InvalidArgumentError, Option } from 'commander';

export interface BudgetFlags {
  readonly budget: number;
}

/** Adds the flags of `BudgetFlags` to a command. */
export function addBudgetOption(command: Command): Command {
  return command.addOption(
    new Option('--budget <n>', 'how many steps a search may take before it is undecided')
      .argParser(wholeNumber)
      .default(100_000_000),
  );
}

/** Reads how many there may be, for an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}
