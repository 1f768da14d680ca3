/** The README and the guides work: their commands run verbatim against a real server, and print what is shown. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { addFolders } from '#contract/resources/folders.ts'
import { printedBy, type Step, stepsOf } from '#testing/guide-page.ts'
import { environmentOf, newHome } from '#testing/processes/cli.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { ROOT } from '../../scripts/root.ts'
import { newCallers } from '../conformance/support/callers.ts'

const TOURS = [
  'README.md',
  'docs/guides/take-the-tour.md',
  'docs/guides/manage-a-tenant.md',
  'docs/guides/call-from-a-page.md',
  'docs/guides/add-comments-to-your-page.md',
  'docs/guides/ask-about-access.md',
  'docs/guides/authzen.md',
  'docs/guides/send-mail.md',
  'docs/guides/receive-webhooks.md',
]

/** Only JSON is compared: blocks of text on these pages are settings and templates. */
const readSteps = (page: string): Step[] => stepsOf(page.replaceAll(/^```text\n.*?^```$/gms, ''))

/** Runs the steps as in the shell of `commonhold dev bash`: the server's address and credentials are in the environment. */
async function runSteps(steps: readonly Step[], url: string): Promise<string[]> {
  const HOME = newHome()
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter)
  return printedBy(steps, { cwd: HOME, env: { PATH, HOME, ...environmentOf(url, await newCallers(url)) } })
}

/** Returns the JSON documents in a text, each on one line or on several. */
function documentsIn(printed: string): unknown[] {
  const documents: unknown[] = []
  let pending = ''
  for (const line of printed.split('\n')) {
    pending += line
    try {
      documents.push(JSON.parse(pending))
      pending = ''
    } catch {} // it continues on the next line
  }
  assert.equal(pending, '', `not JSON: ${pending}`)
  return documents
}

/** `…` on a page matches anything; at the end of a text, any ending. */
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
/** Allows the receivers of the tours, which are on this machine. */
const server = await startServer({
  SMTP_URL: post.url,
  MAIL_FROM: 'no-reply@example.com',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})

/** Runs all of them before the first test: the server stops after the last test. */
const tours = await Promise.all(
  TOURS.map(async (file) => {
    const steps = readSteps(readFileSync(path.join(ROOT, file), 'utf8'))
    return { file, steps, printed: await runSteps(steps, server.url) }
  }),
)

for (const { file, steps, printed } of tours)
  describe(`the tour of ${file}`, () => {
    it('runs completely', () => assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? ''))

    steps.forEach(({ commands, shown }, index) => {
      const isCompared = shown.startsWith('{')
      it(`${isCompared ? 'prints what is shown' : 'succeeds'} in step ${index + 1}: ${commands.split('\n', 1)[0]}`, () => {
        const documents = documentsIn(printed[index] ?? '')
        for (const document of isCompared ? documents.slice(0, -1) : documents)
          assert.ok(typeof document === 'object' && document !== null && !('error' in document), printed[index] ?? '')
        if (isCompared) assertShown(documents.at(-1), JSON.parse(shown.replaceAll(': …', ': "…"')), 'answer')
      })
    })
  })

/** The code of this guide is a test: it runs here, on the same server. */
const guide = readFileSync(path.join(ROOT, 'docs/guides/add-an-operation.md'), 'utf8')
const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? []
const given = { assert, describe, it, addFolders, startServer: async () => server }
const AsyncFunction = (async () => {}).constructor as FunctionConstructor
await AsyncFunction(...Object.keys(given), code)(...Object.values(given))
