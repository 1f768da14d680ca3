/** Pages whose blocks are commands and what they write: `sh` blocks run one after the other in one shell, `text` blocks are shown. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const BLOCK = /^```(sh|text)\n(.*?)^```$/gms
const END_OF_STEP = '\u0004'
/** A page of thirty commands takes twenty seconds; beside others on two processors, minutes. */
const PAGE_MS_MAX = 240_000

export interface Step {
  commands: string
  shown: string
}

export function stepsOf(page: string): Step[] {
  const steps: Step[] = []
  for (const [, language, block = ''] of page.matchAll(BLOCK)) {
    if (language === 'sh') steps.push({ commands: block, shown: '' })
    const step = steps.at(-1)
    if (language === 'text' && step !== undefined) step.shown = block
  }
  return steps
}

/** The page with other texts shown. */
export function withShown(page: string, shown: readonly string[]): string {
  let step = -1
  return page.replace(BLOCK, (block, language: string) => {
    if (language === 'sh') step++
    return language === 'sh' ? block : `\`\`\`text\n${shown[step] ?? ''}\`\`\``
  })
}

/** What each step printed, on either stream. */
export async function printedBy(
  steps: readonly Step[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd, env, timeout: PAGE_MS_MAX })
  const output = Promise.all([text(shell.stdout), text(shell.stderr)])
  const script = steps.map(({ commands }) => `${commands}\nprintf '${END_OF_STEP}'\n`).join('')
  shell.stdin.end(`exec 2>&1\n${script}`)
  const [stdout = ''] = await output
  return stdout.split(END_OF_STEP)
}

/** `…` in a line is anything; a line of it, any lines. */
export function isShown(printed: string, shown: string): boolean {
  const lines = shown.split(/(?<=\n)/).map((line) => {
    if (line === '…\n') return '(?:.*\\n)*?'
    return line.replace(/ +\n$/, '\n').split('…').map(RegExp.escape).join('.*')
  })
  return new RegExp(`^${lines.join('')}$`).test(printed)
}

/** What is another one each time: secrets, ids, times, ports, and folders of this machine. */
const DIFFERENT = [
  /(?<=chk_(?:test|live)_|ch[wt]_)\w{20,}/g,
  /(?<=\b(?:ep|msg)_)\w{20,}/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
  /\b[0-9a-f]{32}(?:-\d+)?\b/g,
  /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /(?<="(?:changedAt|occurredAt|expiresAt|createdAt)":)\d+/g,
  /(?<=127\.0\.0\.1:)\d+/g,
  /\b\d+(?= ms\b)/g,
  /(?<=\s)\/[\w./-]+(?=\/(?:data$|\.config\/))/gm,
]

/** With `…` for what is another one each time. */
export const lasting = (printed: string): string =>
  DIFFERENT.reduce((text, what) => text.replaceAll(what, '…'), printed)

/** Only secrets and what is of this machine alone: what is left is as it was. */
const PRIVATE = [DIFFERENT[0], DIFFERENT.at(-1)].flatMap((what) => what ?? [])
export const withoutSecrets = (printed: string): string =>
  PRIVATE.reduce((text, what) => text.replaceAll(what, '…'), printed)
