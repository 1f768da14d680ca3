/** The command line in a terminal: colours, prompts and Ctrl-C. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { afterAll, describe, it } from 'vitest'
import { COMPILED, type Environment, MAIN, newHome, profilesIn } from '#testing/processes/cli.ts'
import { patient } from '#testing/run/mode.ts'
import { withIo } from '../../cli/terminal/io.ts'
import { progressLine } from '../../cli/terminal/progress.ts'
import { note, plain, print } from '../../cli/terminal/terminal.ts'

const CTRL_C = '\u0003'
const WAIT_MS = patient(30_000)
/** `script` of util-linux creates terminals. */
const noTerminals = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') !== true

const home = newHome()

/** Types keys when texts appear; returns the output and the exit code. */
async function inTerminal(
  words: string,
  { columns = 100, environment = {} }: { columns?: number; environment?: Environment } = {},
  typed: readonly (readonly [shown: RegExp, keys: string])[] = [],
): Promise<{ shown: string; code: number | null }> {
  const commonhold = `'${process.execPath}' '${MAIN}' ${words}`
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 40; ${commonhold}`, '/dev/null'], {
    env: {
      ...{ PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh', TERM: 'xterm', NODE_COMPILE_CACHE: COMPILED },
      ...environment,
    },
    timeout: WAIT_MS,
  })
  let shown = ''
  let from = 0
  const due = [...typed]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    const next = due[0]
    if (next === undefined || !next[0].test(shown.slice(from))) return
    from = shown.length
    child.stdin.write(next[1])
    due.shift()
  })
  child.stdin.on('error', () => {})
  const [code] = await once(child, 'close')
  assert.deepEqual(due, [], shown)
  return { shown: shown.replaceAll('\r\n', '\n'), code }
}

/** Accepts calls and never responds. */
const silent = createServer(() => {})
silent.listen(0, '127.0.0.1')
await once(silent, 'listening')
afterAll(() => {
  silent.closeAllConnections()
  silent.close()
})
const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
const profile = (apiKey: string) => ({ url, apiKey, authToken: 'cht_x' })
const environment = profilesIn(newHome(), {
  profiles: { default: profile('chk_test_x'), other: profile('chk_test_y') },
})

describe('in a terminal', { skip: noTerminals }, () => {
  it('colours errors, and wraps sentences between words', async () => {
    const { shown, code } = await inTerminal('org list --profile nowhere', { columns: 40, environment })
    assert.equal(code, 2)
    assert.ok(shown.includes('\u001b[31m\u001b[1merror'), shown)
    const lines = shown.split('\n')
    assert.ok(lines.length > 3 && lines[1]?.startsWith('       '), shown)
    assert.ok(lines.every((line) => line.includes('config.json') || line.length < 60))
  })

  it('uses no colours with NO_COLOR', async () => {
    const { shown } = await inTerminal('org lst', { environment: { NO_COLOR: '1' } })
    assert.equal(shown, "error  Unknown command 'lst'. Did you mean list?\nnext   For the usage, add --help.\n")
  })

  it('asks for confirmation of an irreversible command, and does nothing if it is declined', async () => {
    for (const key of ['n', CTRL_C]) {
      const { shown, code } = await inTerminal('org delete acme', { environment }, [[/everything in it\?/, key]])
      assert.match(shown, /Nothing was done\./)
      assert.equal(code, 130)
    }
  })

  it('asks for secrets without showing them', async () => {
    const own = { XDG_CONFIG_HOME: newHome() }
    const { shown, code } = await inTerminal('profile add staging --api-key chk_test_x', { environment: own }, [
      [/Auth token/, 'cht_secret\r'],
    ])
    assert.equal(code, 0)
    assert.match(shown, /Saved in the profile staging/)
    assert.ok(!shown.includes('cht_secret'))
  })

  it('is interrupted with Ctrl-C while it waits, with the exit code of an interruption', async () => {
    const { code } = await inTerminal('promote --from default --to other', { environment }, [[/comparing/, CTRL_C]])
    assert.equal(code, 130)
  })
})

/** Returns what a terminal shows of a line: texts after a carriage return replace what was there, and `ESC [ K` erases the rest. */
const seen = (line: string): string =>
  line.split('\r').reduce((before, text) => {
    const [kept = '', ...rest] = text.split('\u001b[K')
    return rest.length > 0 ? kept + rest.join('') : kept + before.slice(kept.length)
  }, '')

it('a warning during the progress of a command is a line of its own', async () => {
  let written = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk
      done()
    },
  })
  const terminal = Object.assign(stream, { isTTY: true, columns: 80 })
  await withIo({ stdin: Readable.from([]), stdout: terminal, stderr: terminal, env: {} }, async () => {
    const progress = progressLine()
    progress.update('line 55: 8 records')
    note('a warning')
    progress.clear()
    print('the result')
  })
  assert.deepEqual(written.split('\n').map(seen), ['a warning', 'the result', ''])
})

it('no character of a name moves the cursor or changes the direction of the text', () => {
  const dangerous = /[\p{Cc}\p{Bidi_Control}]/u
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code)
    if (dangerous.test(character)) assert.doesNotMatch(plain(character), dangerous, code.toString(16))
  }
})

describe('standard output that cannot be written', { skip: !existsSync('/dev/full') }, () => {
  it('is a failure with its reason, and never the answer no', () => {
    const full = openSync('/dev/full', 'w')
    const env = { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: COMPILED }
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [MAIN, ...args], { ...{ env, encoding: 'utf8' }, stdio: ['ignore', full, 'pipe'] })
    const { status, stderr } = run('--help')
    assert.match(stderr, /^error {2}The result cannot be written to standard output \(ENOSPC\)\.\nnext {3}.+\n$/)
    assert.equal(status, 7)
    const { error } = JSON.parse(run('call', '--json').stderr)
    assert.deepEqual([error.exitCode, error.reason], [7, 'broken'])
  })
})
