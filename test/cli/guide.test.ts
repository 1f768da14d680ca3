/** Runs the commands of the command-line guides in order and compares their output with what the pages show. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isShown, printedBy, type Step, stepsOf, transcriptOf } from '#testing/guide-page.ts'
import { newHome, writeCommonhold } from '#testing/processes/cli.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { HOSTED_KEY, HOSTED_TOKEN, startHostedService } from '#testing/stand-ins/hosted-service.ts'
import { ROOT } from '../../scripts/root.ts'

const pageOf = (guide: string): string => readFileSync(path.join(ROOT, `docs/guides/${guide}.md`), 'utf8')

const { url } = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const [, settings = ''] = /^```ini\n(.*?)^```$/ms.exec(pageOf('move-from-a-hosted-service')) ?? []
const { url: movedTo } = await startServer(parseEnv(settings) as Record<string, string>)
const hosted = await startHostedService()

/** The guides, and their initial environment variables. */
const GUIDES: Readonly<Record<string, Record<string, string>>> = {
  'use-the-command-line': { COMMONHOLD_URL: url },
  'move-in-and-out': { COMMONHOLD_URL: url },
  'move-from-a-hosted-service': {
    COMMONHOLD_URL: movedTo,
    OLD_URL: hosted.url,
    OLD_API_KEY: HOSTED_KEY,
    OLD_AUTH_TOKEN: HOSTED_TOKEN,
  },
}

function run(steps: readonly Step[], environment: Record<string, string>): Promise<string[]> {
  const HOME = newHome()
  writeCommonhold(HOME)
  const PATH = [HOME, path.dirname(process.execPath), process.env.PATH].join(path.delimiter)
  return printedBy(steps, { cwd: HOME, env: { PATH, HOME, ...environment } })
}

const runs: { guide: string; steps: readonly Step[]; printed: readonly string[] }[] = []
for (const [guide, environment] of Object.entries(GUIDES)) {
  const steps = stepsOf(pageOf(guide))
  runs.push({ guide, steps, printed: await run(steps, environment) })
}

for (const { guide, steps, printed } of runs) {
  describe(`the guide ${guide}`, () => {
    it('runs to its end', () => assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? ''))

    steps.forEach(({ commands, shown }, index) => {
      it(`prints what the page shows in step ${index + 1}: ${commands.split('\n', 1)[0]}`, () => {
        assert.ok(isShown(printed[index] ?? '', shown), `${printed[index]}\nis not\n${shown}`)
      })
    })
  })
}

describe('the recording of the guide for moving', () => {
  it('shows what its commands print (`npx vitest run test/cli/guide.test.ts -u --project postgres` records it again)', async () => {
    const { steps = [], printed = [] } = runs.find(({ guide }) => guide === 'move-from-a-hosted-service') ?? {}
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
