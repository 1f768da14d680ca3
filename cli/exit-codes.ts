/** The exit codes of `commonhold`: the only such table. docs/reference/exit-codes.md is made from it. */

export const EXIT_CODES = {
  done: { code: 0, meaning: 'It was done; or the answer is yes.' },
  no: {
    code: 1,
    meaning:
      'The answer is no: `check` was denied, a user token is not valid, a migration failed or would fail, `promote --diff` found a difference, `doctor` found a fault.',
  },
  usage: { code: 2, meaning: 'Wrong usage: nothing was called. What must be put right is the command itself.' },
  credentials: {
    code: 3,
    meaning:
      'Credentials are missing, refused, of another environment, without the scope that is needed, or in a file that others can read.',
  },
  unreachable: {
    code: 4,
    meaning:
      'No Commonhold was reached: nothing answers at the address, something else does, or no answer came in time.',
  },
  refused: {
    code: 5,
    meaning:
      'The server understood and refused: an invalid value, something that is not there, or is there already. Also when that was so for one of several items.',
  },
  later: {
    code: 6,
    meaning:
      'Not now: a limit of requests, a lost race, a server that is starting or overloaded. The same command may succeed later.',
  },
  broken: { code: 7, meaning: 'Something is broken: in the server, or in this program.' },
  dev: {
    code: 125,
    meaning:
      '`dev` failed before the command that it was to run began; otherwise it ends with the code of the command.',
  },
  interrupted: { code: 130, meaning: 'Ended with Ctrl-C, or at a question.' },
} as const satisfies Record<string, { code: number; meaning: string }>

export type Exit = keyof typeof EXIT_CODES
export const exitCode = (exit: Exit): number => EXIT_CODES[exit].code
