/** `move check` and `move convert`: report which data of another service can be moved, and write the file for `import`. */

import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { MovingFailure } from '#moving/failure.ts'
import { withFirstLine } from '#moving/files/lines.ts'
import { FORMAT, lineOf } from '#moving/files/records.ts'
import { OUTCOMES, type Remark, type RemarkOutcome } from '#moving/files/remarks.ts'
import { addCommand } from '../../command.ts'
import type { Exit } from '../../exit-codes.ts'
import { wrongUsage } from '../../failures.ts'
import { DOCUMENT_ACCESS, type DocumentAccess } from '../../moving/answers/structure.ts'
import { type CheckedPortions, checkedPortions, isAnswers } from '../../moving/check.ts'
import { toFile } from '../../moving/export/export-file.ts'
import { io } from '../../terminal/io.ts'
import { printJsonLine } from '../../terminal/output.ts'
import { counted, progressLine } from '../../terminal/progress.ts'
import { coloured, colouredNote, note, plain, print } from '../../terminal/terminal.ts'

/** The number of remarks of a kind that are shown to people; --json shows all. */
const SHOWN_PER_REASON = 10

/** Longer names are cut for people. */
const NAME_CHARACTERS_MAX = 80

const LABELS: Record<RemarkOutcome, string> = { refused: 'refused', changed: 'changed', leftOut: 'left out' }
const COLOURS = { refused: 'red', changed: 'yellow', leftOut: 'dim' } as const

export function addMove(program: Command): void {
  addAccessOption(
    addCommand(program, 'move check', {
      callsServer: false,
      summary: 'Report what moving a file would refuse, change or leave out, without a server.',
      description:
        'Reads the answers of a hosted service, as the guide for moving writes them, or a file for import. Nothing is sent. Reports for each line what an import would refuse (with the reason), change or omit. Exit code 5: something would be refused.',
      examples: ['commonhold move check answers.ndjson', 'commonhold move check data.ndjson --json'],
      async run({ words: [file], options }) {
        const json = options.json === true
        const tally = new Tally(json)
        const cutOff = await read(checkedFile(String(file), options), tally, async () => {})
        return tally.report(cutOff, json, 'can be moved')
      },
    }).argument('<file>', 'The file to check; - is standard input.'),
  )

  addAccessOption(
    addCommand(program, 'move convert', {
      callsServer: false,
      summary: 'Convert the answers of a hosted service to a file for import.',
      description:
        'Writes nothing if a line is refused, unless --skip-refused is given. Shows the same as move check. The file is for commonhold import.',
      examples: [
        'commonhold move convert answers.ndjson data.ndjson',
        'commonhold move convert answers.ndjson data.ndjson --skip-refused',
      ],
      async run({ words: [file, out], options }) {
        const json = options.json === true
        const tally = new Tally(json)
        const { write, end, abandon } = toFile(String(out))
        try {
          await write(`${JSON.stringify({ record: 'export', format: FORMAT, of: 'apiKey' })}\n`)
          const cutOff = await read(checkedFile(String(file), options, true), tally, write)
          await write(`${JSON.stringify({ record: 'end', records: tally.records })}\n`)
          const isKept = cutOff === undefined && (tally.refused === 0 || options.skipRefused === true)
          await (isKept ? end() : abandon())
          const exit = tally.report(cutOff, json, isKept ? `are in ${plain(String(out))}` : 'could be moved')
          if (!isKept && !json) note('  Nothing was written. To leave the refused lines out: --skip-refused')
          return isKept ? 'done' : exit
        } catch (error) {
          await abandon()
          throw error
        }
      },
    })
      .argument('<file>', 'The file of answers; - is standard input.')
      .argument('<out>', 'The file to write.')
      .option('--skip-refused', 'Write the file without the refused parts.'),
  )
}

const addAccessOption = (command: Command): Command =>
  command
    .addOption(
      new Option('--document-access <whose>', 'Documents in folders keep their own access type, or follow the folder.')
        .choices([...DOCUMENT_ACCESS])
        .default('own'),
    )
    .option('--json', 'Write JSON: one line for each remark, then a summary.')

async function* checkedFile(
  file: string,
  options: Readonly<Record<string, unknown>>,
  onlyAnswers = false,
): CheckedPortions {
  const source = file === '-' ? io().stdin : createReadStream(file)
  const { firstLine, input } = await withFirstLine(source)
  if (onlyAnswers && !isAnswers(firstLine))
    throw wrongUsage('The file has no answers of a hosted service.', 'If it is a file for import, import it.')
  return yield* checkedPortions(input, {
    documentAccess: options.documentAccess as DocumentAccess,
    nowSeconds: Date.now() / 1_000,
  })
}

/** Reads all portions; returns why the file is incomplete, if it is. */
async function read(
  portions: CheckedPortions,
  tally: Tally,
  write: (text: string) => Promise<void>,
): Promise<string | undefined> {
  const progress = progressLine()
  try {
    for (;;) {
      const { value, done } = await portions.next()
      if (done === true) return value
      progress.update(`line ${counted(value.line)}: ${counted(tally.records)} records`)
      if (value.remarks.length > 0) progress.clear()
      tally.add(value.records.length, value.remarks)
      if (value.records.length > 0) await write(value.records.map(lineOf).join(''))
    }
  } catch (error) {
    if (error instanceof MovingFailure) throw error
    const { code, path } = error as NodeJS.ErrnoException
    if (code === undefined || path === undefined) throw error
    throw wrongUsage(`The file ${path} cannot be read (${code}).`, 'Check its name and the current folder.')
  } finally {
    progress.clear()
  }
}

/** Counts and shows remarks. */
class Tally {
  records = 0
  readonly #json: boolean
  readonly #counts = new Map<string, number>()
  readonly #byOutcome = new Map<RemarkOutcome, number>()

  constructor(json: boolean) {
    this.#json = json
  }

  get refused(): number {
    return this.#byOutcome.get('refused') ?? 0
  }

  add(records: number, remarks: readonly Remark[]): void {
    this.records += records
    for (const remark of remarks) {
      const key = `${LABELS[remark.outcome]}: ${remark.reason}`
      const count = (this.#counts.get(key) ?? 0) + 1
      this.#counts.set(key, count)
      this.#byOutcome.set(remark.outcome, (this.#byOutcome.get(remark.outcome) ?? 0) + 1)
      if (this.#json) printJsonLine(remark)
      else if (count <= SHOWN_PER_REASON) show(remark)
    }
  }

  report(cutOff: string | undefined, json: boolean, fate: string): Exit {
    const by = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, this.#byOutcome.get(outcome) ?? 0]))
    if (json) printJsonLine({ summary: { records: this.records, ...by, ...(cutOff === undefined ? {} : { cutOff }) } })
    else {
      for (const [key, count] of this.#counts)
        if (count > SHOWN_PER_REASON) print(`… and ${counted(count - SHOWN_PER_REASON)} more ${key}`)
      const isFine = this.refused === 0 && cutOff === undefined
      const mark = isFine ? colouredNote('green', '✓') : colouredNote('yellow', '!')
      const remarks = OUTCOMES.map((outcome) => `${counted(by[outcome] ?? 0)} ${LABELS[outcome]}`).join(', ')
      note(`${mark} ${counted(this.records)} records ${fate}; ${remarks}.`)
      if (cutOff !== undefined) note(`  ${cutOff}`)
    }
    return this.refused > 0 || cutOff !== undefined ? 'refused' : 'done'
  }
}

function show({ outcome, line, what, message }: Remark): void {
  const name = what.length > NAME_CHARACTERS_MAX ? `${what.slice(0, NAME_CHARACTERS_MAX)}…` : what
  print(`${coloured(COLOURS[outcome], LABELS[outcome].padEnd(8))}  line ${line}  ${plain(name)}: ${plain(message)}`)
}
