/** The README and the guides keep their word: their commands run as they stand there, against a real server, and answer what is shown. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { addFolders } from '#contract/folders.ts'
import { startMailServer } from '../support/mail-server.ts'
import { startServer } from '../support/server.ts'

const TOURS = [
  'README.md',
  'docs/guides/manage-a-tenant.md',
  'docs/guides/call-from-a-page.md',
  'docs/guides/ask-about-access.md',
  'docs/guides/authzen.md',
  'docs/guides/send-mail.md',
  'docs/guides/receive-webhooks.md',
]

const BASE_LINE = /^BASE=http:\/\/127\.0\.0\.1:8080$/m
const END_OF_STEP = '\u0004'

interface Step {
  /** A block of shell. */
  commands: string
  /** The block of JSON after it, before the next shell. */
  shown: string | undefined
}

/** The shell blocks of a page in their order, each with the answer shown for it. */
function readSteps(page: string): Step[] {
  const steps: Step[] = []
  for (const [, language, block = ''] of page.matchAll(/^```(sh|json)\n(.*?)^```$/gms)) {
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
    timeout: 60_000,
  })
  const output = Promise.all([text(shell.stdout), text(shell.stderr)])
  shell.stdin.end(script.replace(BASE_LINE, `BASE=${base}`))
  const [stdout, stderr] = await output
  assert.equal(stderr, '')
  return stdout.split(END_OF_STEP).slice(0, -1)
}

/** `…` in a page is anything; at the end of a text, any end. */
function assertShown(actual: unknown, shown: unknown, at: string): void {
  if (shown === '…') assert.notEqual(actual, undefined, `${at} is missing`)
  else if (typeof shown === 'string' && shown.endsWith('…'))
    assert.ok(String(actual).startsWith(shown.slice(0, -1)), `${at}: ${actual} is not like ${shown}`)
  else if (typeof shown === 'object' && shown !== null && typeof actual === 'object' && actual !== null) {
    const real = Object.entries(actual)
    const expected = Object.entries(shown)
    assert.equal(real.length, expected.length, `${at} has ${Object.keys(actual)}, the page ${Object.keys(shown)}`)
    for (const [name, value] of expected) {
      const isIt = ([key]: [string, unknown]) =>
        key === name || (name.endsWith('…') && key.startsWith(name.slice(0, -1)))
      assertShown(real.find(isIt)?.[1], value, `${at}.${name}`)
    }
  } else assert.deepEqual(actual, shown, at)
}

const post = await startMailServer()
/** The receivers of the tours are on this machine. */
const server = await startServer({
  SMTP_URL: post.url,
  MAIL_FROM: 'no-reply@example.com',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})

/** All of them before the first test: the server stops after the last one that there is. */
const tours = await Promise.all(
  TOURS.map(async (file) => {
    const page = readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8')
    const steps = readSteps(page)
    return { file, page, steps, printed: await runSteps(steps, server.url) }
  }),
)

for (const { file, page, steps, printed } of tours)
  describe(`the tour of ${file}`, () => {
    it('sets its address once, in a line of its own', () => {
      assert.equal(page.match(new RegExp(BASE_LINE, 'gm'))?.length, 1)
      assert.equal(steps.filter(({ commands }) => commands.includes('8080')).length, 1)
    })

    it('runs to its end', () => assert.equal(printed.length, steps.length))

    steps.forEach(({ commands, shown }, index) => {
      const answers = (printed[index] ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))

      it(`succeeds with step ${index + 1} until what it shows: ${commands.split('\n', 1)[0]}`, () => {
        for (const answer of answers.slice(0, -1)) assert.ok('result' in answer, JSON.stringify(answer))
      })

      it(`shows the last answer of step ${index + 1} as it is`, () => {
        assert.ok(shown !== undefined, 'the page shows no answer')
        assertShown(answers.at(-1), JSON.parse(shown.replaceAll(': …', ': "…"')), 'answer')
      })
    })
  })

/** Its code is a test: it runs here as one, on the server that there is. */
const guide = readFileSync(path.join(import.meta.dirname, '../../docs/guides/add-an-operation.md'), 'utf8')
const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? []
const given = { assert, describe, it, addFolders, startServer: async () => server }
const AsyncFunction = (async () => {}).constructor as FunctionConstructor
await AsyncFunction(...Object.keys(given), code)(...Object.values(given))
