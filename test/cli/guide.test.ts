/** The guides of the command line keep their word: their blocks run one after the other and write what they show. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { newHome } from '../support/cli.ts'
import { startServer } from '../support/server.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const GUIDES = ['use-the-command-line', 'move-in-and-out']
const END_OF_STEP = '\u0004'

interface Step {
  commands: string
  shown: string
}

function stepsOf(page: string): Step[] {
  const steps: Step[] = []
  for (const [, language, block = ''] of page.matchAll(/^```(sh|text)\n(.*?)^```$/gms)) {
    if (language === 'sh') steps.push({ commands: block, shown: '' })
    const step = steps.at(-1)
    if (language === 'text' && step !== undefined) step.shown = block
  }
  return steps
}

/** `…` in a line is anything; a line of it, any lines. */
function isShown(printed: string, shown: string): boolean {
  const lines = shown.split(/(?<=\n)/).map((line) => {
    if (line === '…\n') return '(?:.*\\n)*?'
    return line.replace(/ +\n$/, '\n').split('…').map(RegExp.escape).join('.*')
  })
  return new RegExp(`^${lines.join('')}$`).test(printed)
}

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })

/** What each step printed. */
async function printedBy(steps: readonly Step[]): Promise<string[]> {
  const HOME = newHome()
  const commonhold = `#!/bin/sh\nexec '${process.execPath}' '${path.join(ROOT, 'cli/main.ts')}' "$@"\n`
  writeFileSync(path.join(HOME, 'commonhold'), commonhold, { mode: 0o755 })
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd: HOME,
    env: { PATH: `${HOME}${path.delimiter}${process.env.PATH}`, HOME, COMMONHOLD_URL: server.url },
    timeout: 120_000,
  })
  const output = Promise.all([text(shell.stdout), text(shell.stderr)])
  const script = steps.map(({ commands }) => `${commands}\nprintf '${END_OF_STEP}'\n`).join('')
  shell.stdin.end(`exec 2>&1\n${script}`)
  const [stdout = ''] = await output
  return stdout.split(END_OF_STEP)
}

const runs: { guide: string; steps: readonly Step[]; printed: readonly string[] }[] = []
for (const guide of GUIDES) {
  const steps = stepsOf(readFileSync(path.join(ROOT, `docs/guides/${guide}.md`), 'utf8'))
  runs.push({ guide, steps, printed: await printedBy(steps) })
}

for (const { guide, steps, printed } of runs) {
  describe(`the guide ${guide}`, () => {
    it('runs to its end', () => assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? ''))

    steps.forEach(({ commands, shown }, index) => {
      it(`writes what it shows in step ${index + 1}: ${commands.split('\n', 1)[0]}`, () => {
        assert.ok(isShown(printed[index] ?? '', shown), `${printed[index]}\nis not\n${shown}`)
      })
    })
  })
}
