/** Turns a page into one script for `bash`, whose steps are the blocks in their order. The program of its `ts` blocks comes last. */
import { type Block, fatesOf } from './blocks.ts'

export const END_OF_STEP = '\u0004'

export interface Step {
  /** The first line of the commands or the code. */
  name: string
  shown: string
  language: string
  /** Whether the step may print output that the page does not show: a server, messages of npm, commands that readers do not see. */
  isLoose: boolean
}

/** A shell with a server of its own, which reads the rest of the script. */
const OPENS_SHELL = /\bdev bash$/m
export const STRICT_SHELL = 'set -euo pipefail; exec 2>&1'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const endOfStep = `printf '${END_OF_STEP}'\n`

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

interface Page {
  /** Commands and saved files, for `bash`. */
  script: string
  steps: Step[]
  /** One TypeScript program; empty if there is none. It prints the end of each step. */
  program: string
  programSteps: Step[]
}

/** `ready` is a command that waits for the server of the page. */
export function pageSteps(blocks: readonly Block[], ready: string): Page {
  const fates = fatesOf(blocks)
  const page: Page = { script: '', steps: [], program: '', programSteps: [] }
  let last: Step | undefined
  for (const [index, block] of blocks.entries()) {
    const { content, language } = block
    const fate = fates[index]
    if (fate === 'saved') page.script += saved(block, blocks.slice(0, index))
    if (fate === 'shown' && last !== undefined) Object.assign(last, { shown: content, language })
    if (fate !== 'commands' && fate !== 'program') continue
    const opens = OPENS_SHELL.test(content)
    const isLoose = block.isHidden || block.note === 'stays open' || opens
    last = { name: firstLine(content), shown: '', language: '', isLoose }
    if (fate === 'program') {
      page.program += `${content}\nprocess.stdout.write('${END_OF_STEP}')\n`
      page.programSteps.push(last)
    } else {
      page.script += block.note === 'stays open' ? opened(content, index, ready) : content
      page.script += `${opens ? `${STRICT_SHELL}\n` : ''}\n${endOfStep}`
      page.steps.push(last)
    }
  }
  return page
}

/** Appends to a file that an earlier block of the page began. */
function saved({ words, content }: Block, before: readonly Block[]): string {
  const isBegun = before.some((one) => one.note === 'saved as' && one.words === words)
  return `printf %s ${quoted(content)} ${isBegun ? '>>' : '>'} ${quoted(words)}\n`
}

/**
 * Writes the environment of a new terminal, before the page sets anything: another terminal has none of the variables
 * that a reader has exported in the first.
 */
export const REMEMBER_TERMINAL = '{ export -p; declare -f; } > "$READER_HOME/terminal.sh"\n'

/** Runs commands as in another terminal in the same folder, in a group of their own, until the page ends. */
function opened(content: string, index: number, ready: string): string {
  const output = `"$READER_HOME/terminal-${index}.txt"`
  return `set -m
env -i bash -c ${quoted(`. "$0"\n${content.trimEnd()}`)} "$READER_HOME/terminal.sh" < /dev/null > ${output} 2>&1 &
echo $! >> "$READER_HOME/groups"
set +m
( ${ready} ) || { cat ${output}; exit 1; }
disown
cat ${output}
`
}
