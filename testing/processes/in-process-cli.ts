/** Runs the command line within this process, which costs a tenth of a process of its own. Files are named by absolute paths. */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { run } from '../../cli/run.ts'
import type { Ended, Environment } from './cli.ts'

/** Collects the output. */
export function collector() {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  return { stream, text: () => text }
}

/** The folder for profiles and data of all runs without one of their own. */
const home = mkdtempSync(path.join(os.tmpdir(), 'commonhold-home-'))
process.once('exit', () => rmSync(home, { recursive: true, force: true }))

/** Runs `commonhold` without a terminal, with only this environment, and waits for its end. */
export async function cliInProcess(
  args: readonly string[],
  environment: Environment = {},
  input: string | Uint8Array = '',
): Promise<Ended> {
  const [stdout, stderr] = [collector(), collector()]
  const code = await run(['node', 'commonhold', ...args], {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { HOME: home, DATA_DIR: home, ...environment },
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
