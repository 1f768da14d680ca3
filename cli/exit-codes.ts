/** The exit codes of `commonhold`. docs/reference/exit-codes.md is generated from this table. */

export const EXIT_CODES = {
  done: { code: 0, meaning: 'Success; or the answer is yes.' },
  no: {
    code: 1,
    meaning:
      'The answer is no: `check` was denied, a user token is not valid, a migration failed or would fail, `promote --diff` found a difference, `doctor` found a fault.',
  },
  usage: { code: 2, meaning: 'Wrong usage: nothing was called. Correct the command.' },
  credentials: {
    code: 3,
    meaning:
      'Credentials are missing, refused, of another environment, without the required scope, or in a file that others can read.',
  },
  unreachable: {
    code: 4,
    meaning:
      'The server, or a database of `buckets` or `master-key`, cannot be reached: nothing responds at the address, something else responds, or no response arrived in time.',
  },
  refused: {
    code: 5,
    meaning:
      'The server refused the call: a value is invalid, or something does not exist or already exists. Also when only one of several items was refused, when `move check` found a line that would be refused, or when `proxy report` found a call that would fail.',
  },
  later: {
    code: 6,
    meaning:
      'Not now: a rate limit, a conflict with another change, or a server that is starting or overloaded. The same command may succeed later.',
  },
  broken: { code: 7, meaning: 'An internal error, of the server or of this program.' },
  dev: {
    code: 125,
    meaning: '`dev` failed before it started its command; otherwise it ends with the exit code of that command.',
  },
  interrupted: { code: 130, meaning: 'Interrupted with Ctrl-C, or cancelled at a prompt.' },
} as const satisfies Record<string, { code: number; meaning: string }>

export type Exit = keyof typeof EXIT_CODES
export const exitCode = (exit: Exit): number => EXIT_CODES[exit].code
