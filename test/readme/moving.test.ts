/**
 * The guide docs/guides/move-from-a-hosted-service.md: its commands run in order on a stand-in of the service, print
 * the output that it shows, and are recorded.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '#testing/pages/blocks.ts'
import { isShown, printedBy, stepsOf, transcriptOf } from '#testing/pages/shell.ts'
import { newHome, writeCommonhold } from '#testing/processes/cli.ts'
import { startServer } from '#testing/server.ts'
import { HOSTED_KEY, HOSTED_TOKEN, startHostedService } from '#testing/stand-ins/hosted-service.ts'
import { ROOT } from '../../scripts/root.ts'

const page = readFileSync(path.join(ROOT, 'docs/guides/move-from-a-hosted-service.md'), 'utf8')
const settings = blocksOf(page).find(({ language }) => language === 'ini')?.content ?? ''
const { url } = await startServer(parseEnv(settings) as Record<string, string>)
const hosted = await startHostedService()
const steps = stepsOf(page)
const printed = await run({
  COMMONHOLD_URL: url,
  OLD_URL: hosted.url,
  OLD_API_KEY: HOSTED_KEY,
  OLD_AUTH_TOKEN: HOSTED_TOKEN,
})

function run(environment: Record<string, string>): Promise<string[]> {
  const HOME = newHome()
  writeCommonhold(HOME)
  const PATH = [HOME, path.dirname(process.execPath), process.env.PATH].join(path.delimiter)
  return printedBy(steps, { cwd: HOME, env: { PATH, HOME, ...environment } })
}

describe('the guide for moving', () => {
  it('runs to its end', () => assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? ''))

  steps.forEach(({ commands, shown }, index) => {
    it(`prints what the page shows in step ${index + 1}: ${commands.split('\n', 1)[0]}`, () => {
      assert.ok(isShown(printed[index] ?? '', shown), `${printed[index]}\nis not\n${shown}`)
    })
  })
})

describe('the recording of the guide for moving', () => {
  it('shows the output of its commands (`npx vitest run --mode full test/readme/moving.test.ts -u --project postgres` records it again)', async () => {
    const recorded = `# Moving from a hosted service, recorded

What the commands of [the guide](guides/move-from-a-hosted-service.md) printed, from beginning to end, when the test
recorded them; it compares each run with this page. \`…\` stands for what differs each time, and for programs, which are
in the guide.

\`\`\`text
${transcriptOf(steps, printed).trimEnd()}
\`\`\`
`
    await expect(recorded).toMatchFileSnapshot('../../docs/moving-recorded.md')
  })
})
