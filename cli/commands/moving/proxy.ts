/** `proxy`: stands between a program and its service, records the calls, and says which of them would differ or fail on Commonhold. */

import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { addCommand } from '../../command.ts'
import type { Exit } from '../../exit-codes.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import { untilInterrupted } from '../../interrupt.ts'
import { VERDICTS, type Verdict } from '../../proxy/findings.ts'
import { forward } from '../../proxy/forward.ts'
import { callsIn, NotARecording, type RecordedCall, recordTo } from '../../proxy/recording.ts'
import { Summary } from '../../proxy/summary.ts'
import { io } from '../../terminal/io.ts'
import { printJson, printJsonLine } from '../../terminal/output.ts'
import { counted } from '../../terminal/progress.ts'
import { coloured, colouredNote, note, plain, print } from '../../terminal/terminal.ts'
import { portOf } from '../../values.ts'

/** How long calls under way may take after Ctrl-C. */
const FINISH_MS = 5_000

const WORDS: Record<Verdict, string> = {
  works: 'would work',
  differs: 'would differ',
  strict: 'would fail unless STRICT_FIELDS=false',
  fails: 'would fail',
}
const SHORT: Record<Verdict, string> = { works: 'works', differs: 'differs', strict: 'strict', fails: 'fails' }
const COLOURS = { works: 'green', differs: 'yellow', strict: 'yellow', fails: 'red' } as const

export function addProxy(program: Command): void {
  addCommand(program, 'proxy start', {
    isDefault: true,
    callsServer: false,
    summary: 'Pass the calls of a program on to its service, and report which would differ or fail on Commonhold.',
    description:
      'Listens on this machine until Ctrl-C. Calls and responses pass through unchanged; nothing is sent elsewhere. The recording has a line for each call: path, status, names of fields and findings, but no values and no credentials. `commonhold proxy` without a verb is the same.',
    examples: [
      'commonhold proxy --to https://api.example.com --record calls.ndjson --port 4000',
      'commonhold proxy --to http://127.0.0.1:8080',
    ],
    async run({ options }) {
      const target = targetOf(String(options.to))
      const json = options.json === true
      const summary = new Summary()
      let failure: Error | undefined
      const recording =
        options.record === undefined
          ? undefined
          : recordTo(String(options.record), (error) => {
              failure ??= error
              note(`${colouredNote('red', '✗')} Calls pass, but are not recorded: ${plain(error.message)}`)
            })
      const onCall = (call: RecordedCall) => {
        summary.add(call)
        recording?.write(call)
        if (json) printJsonLine(call)
        else show(call)
      }
      await untilInterrupted((signal) => serve(target, portOf(options.port as string | undefined), onCall, signal))
      await recording?.close()
      if (json) printJsonLine({ summary: summaryOf(summary) })
      else showSummary(summary)
      if (failure !== undefined)
        throw new Failure('broken', `The recording is incomplete: ${failure.message}`, 'Record into another file.')
    },
  })
    .requiredOption('--to <url>', 'The address of the service, before /v2.')
    .option('--record <file>', 'Append the calls to this file.')
    .option('--port <port>', 'The port to listen on. Absent: a free port.')
    .option('--json', 'Write JSON: one line for each call, then a summary.')

  addCommand(program, 'proxy report', {
    callsServer: false,
    summary: 'Sum up a recording: which calls would differ or fail on Commonhold, and why.',
    description: 'Exit code 5: a call would fail.',
    examples: ['commonhold proxy report calls.ndjson', 'commonhold proxy report calls.ndjson --json'],
    async run({ words: [file], options }): Promise<Exit> {
      const summary = await summaryIn(String(file))
      if (options.json === true) printJson(summaryOf(summary))
      else showSummary(summary)
      return summary.verdicts.fails > 0 ? 'refused' : 'done'
    },
  })
    .argument('<file>', 'The recording; - is standard input.')
    .option('--json', 'Write JSON.')
}

function targetOf(text: string): URL {
  const target = URL.parse(text)
  if (target === null || !/^https?:$/.test(target.protocol) || target.username !== '' || target.search !== '')
    throw wrongUsage('--to must be an http or https URL without a user name or a query.')
  return target
}

/** Serves until the signal is aborted; then calls under way may finish. */
async function serve(
  target: URL,
  port: number,
  onCall: (call: RecordedCall) => void,
  signal: AbortSignal,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const call = forward(target, request, response).then(onCall)
    underWay.add(call)
    call.finally(() => underWay.delete(call))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw wrongUsage(`Cannot listen on port ${port}: ${error.message}.`, 'Use another --port, or none.')
  })
  note(`${colouredNote('green', '✓')} ${addressOf(server)} passes calls to ${target.origin} (stop with Ctrl-C)`)
  if (!signal.aborted) await once(signal, 'abort')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), FINISH_MS)
  await Promise.all(underWay)
  clearTimeout(timer)
  server.closeAllConnections()
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function show({ method, path, status, ms, verdict, findings }: RecordedCall): void {
  print(`${coloured(COLOURS[verdict], SHORT[verdict].padEnd(7))}  ${status}  ${method} ${plain(path)}  ${ms} ms`)
  for (const finding of findings) print(`         ${plain(finding.message)}`)
}

async function summaryIn(file: string): Promise<Summary> {
  const summary = new Summary()
  try {
    for await (const call of callsIn(file === '-' ? io().stdin : createReadStream(file)))
      if (call === null) summary.damaged++
      else summary.add(call)
  } catch (error) {
    if (error instanceof NotARecording) throw wrongUsage(error.message, 'Is it the file that --record wrote?')
    const { code, path } = error as NodeJS.ErrnoException
    if (code === undefined || path === undefined) throw error
    throw wrongUsage(`The file ${path} cannot be read (${code}).`, 'Check its name and the current folder.')
  }
  return summary
}

const summaryOf = ({ calls, verdicts, headerPrefixes, entries, others, damaged }: Summary) => ({
  calls,
  ...verdicts,
  headerPrefixes: [...headerPrefixes],
  findings: entries,
  ...(others > 0 ? { otherFindings: others } : {}),
  ...(damaged > 0 ? { damagedLines: damaged } : {}),
})

function showSummary({ calls, verdicts, headerPrefixes, entries, others, damaged }: Summary): void {
  for (const { verdict, path, message, calls } of entries) {
    const times = `${counted(calls)} ${calls === 1 ? 'call' : 'calls'}`
    print(
      `${coloured(COLOURS[verdict], SHORT[verdict].padEnd(7))}  ${plain(path)}  ${times}\n         ${plain(message)}`,
    )
  }
  if (others > 0) print(`… and ${counted(others)} more`)
  if (damaged > 0) note(`Incomplete lines, which are skipped: ${counted(damaged)}.`)
  const counts = VERDICTS.map((verdict) => `${counted(verdicts[verdict])} ${WORDS[verdict]}`).join(', ')
  print(`${counted(calls)} ${calls === 1 ? 'call' : 'calls'}: ${counts}.`)
  for (const word of headerPrefixes)
    if (word !== 'service') print(`Start the server with HEADER_PREFIX=${plain(word)}.`)
}
