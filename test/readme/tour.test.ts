/** The README keeps its word: its commands run as they stand there, against a real server, and answer what it shows. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { startServer } from '../support/server.ts'

const README = readFileSync(path.join(import.meta.dirname, '../../README.md'), 'utf8')
const BASE_LINE = /^BASE=http:\/\/127\.0\.0\.1:8080$/m
const END_OF_STEP = '\u0004'

interface Step {
  /** A block of shell. */
  commands: string
  /** The block of JSON after it, before the next shell. */
  shown: string | undefined
}

/** The shell blocks of the README in their order, each with the answer shown for it. */
function readSteps(): Step[] {
  const steps: Step[] = []
  for (const [, language, block = ''] of README.matchAll(/^```(sh|json)\n(.*?)^```$/gms)) {
    if (language === 'sh') steps.push({ commands: block, shown: undefined })
    const step = steps.at(-1)
    if (language === 'json' && step !== undefined) step.shown = block
  }
  return steps
}

/** Runs the steps one after the other in one shell; answers what each printed. */
async function runSteps(steps: Step[], base: string): Promise<string[]> {
  const script = steps.map(({ commands }) => `${commands}\nprintf '${END_OF_STEP}'\n`).join('')
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    env: { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` },
    timeout: 30_000,
  })
  const output = Promise.all([text(shell.stdout), text(shell.stderr)])
  shell.stdin.end(script.replace(BASE_LINE, `BASE=${base}`))
  const [stdout, stderr] = await output
  assert.equal(stderr, '')
  return stdout.split(END_OF_STEP).slice(0, -1)
}

/** `…` in the README is anything; at the end of a text, any end. */
function assertShown(actual: unknown, shown: unknown, at: string): void {
  if (shown === '…') assert.notEqual(actual, undefined, `${at} is missing`)
  else if (typeof shown === 'string' && shown.endsWith('…'))
    assert.ok(String(actual).startsWith(shown.slice(0, -1)), `${at}: ${actual} is not like ${shown}`)
  else if (typeof shown === 'object' && shown !== null && typeof actual === 'object' && actual !== null) {
    const real = Object.entries(actual)
    const expected = Object.entries(shown)
    assert.equal(real.length, expected.length, `${at} has ${Object.keys(actual)}, the README ${Object.keys(shown)}`)
    for (const [name, value] of expected) {
      const isIt = ([key]: [string, unknown]) =>
        key === name || (name.endsWith('…') && key.startsWith(name.slice(0, -1)))
      assertShown(real.find(isIt)?.[1], value, `${at}.${name}`)
    }
  } else assert.deepEqual(actual, shown, at)
}

const steps = readSteps()
const server = await startServer()
const printed = await runSteps(steps, server.url)

describe('the tour of the README', () => {
  it('sets its address once, in a line of its own', () => {
    assert.equal(README.match(new RegExp(BASE_LINE, 'gm'))?.length, 1)
    assert.equal(steps.filter(({ commands }) => commands.includes('8080')).length, 1)
  })

  it('runs to its end', () => assert.equal(printed.length, steps.length))

  steps.forEach(({ commands, shown }, index) => {
    const lines = (printed[index] ?? '').split('\n').filter((line) => line !== '')

    it(`succeeds with step ${index + 1}: ${commands.split('\n', 1)[0]}`, () => {
      for (const line of lines) assert.ok('result' in JSON.parse(line), line)
    })

    it(`shows the last answer of step ${index + 1} as it is`, () => {
      assert.ok(shown !== undefined, 'the README shows no answer')
      assertShown(JSON.parse(lines.at(-1) ?? ''), JSON.parse(shown.replaceAll(': …', ': "…"')), 'answer')
    })
  })
})
