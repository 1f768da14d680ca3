/**
 * Runs pages: their `sh` blocks run in one shell, in order, and the output of each must match the `text` or `json`
 * block after it. A comment `<!-- sh` holds commands that only the test runs, such as waiting; it is invisible on the
 * page.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { patient } from '../run/mode.ts'
import { END_OF_STEP } from './steps.ts'

const BLOCK = /^(?:```(sh|text|json)\n(.*?)^```|<!-- (sh)\n(.*?)^-->)$/gms
/** A page of thirty commands takes twenty seconds; on two busy processors it takes minutes. */
const PAGE_MS_MAX = patient(120_000)
const ANY_LINES = '…\n'

export interface Step {
  commands: string
  /** Empty if the page shows nothing. */
  shown: string
}

interface Block {
  language: string
  content: string
  isHidden: boolean
}

const blockOf = (visible = '', content = '', hidden = '', hiddenContent = ''): Block =>
  hidden === ''
    ? { language: visible, content, isHidden: false }
    : { language: hidden, content: hiddenContent, isHidden: true }

/** Returns the steps of a page. The output of hidden commands is compared only if the page shows it. */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = []
  for (const [, ...parts] of page.matchAll(BLOCK)) {
    const { language, content, isHidden } = blockOf(...parts)
    if (language === 'sh') steps.push({ commands: content, shown: isHidden ? ANY_LINES : '' })
    const step = steps.at(-1)
    if (language !== 'sh' && step !== undefined) step.shown = content
  }
  return steps
}

/** Returns the page with other output. */
export function withShown(page: string, shown: readonly string[]): string {
  let step = -1
  return page.replace(BLOCK, (block, ...parts: string[]) => {
    const { language } = blockOf(...parts.slice(0, 4))
    if (language === 'sh') step++
    return language === 'sh' ? block : `\`\`\`text\n${shown[step] ?? ''}\`\`\``
  })
}

/** Returns the output of each step, on either stream. */
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

/** Returns whether output matches what a page shows. `…` in a line matches anything; a line of it matches any lines. */
export function isShown(printed: string, shown: string): boolean {
  const lines = shown.split(/(?<=\n)/).map((line) => {
    if (line === ANY_LINES) return '(?:.*\\n)*?'
    return line.replace(/ +\n$/, '\n').split('…').map(RegExp.escape).join('.*')
  })
  return new RegExp(`^${lines.join('')}$`).test(printed)
}

/** Output that differs each time: secrets, ids, times, ports, and folders of this machine. */
const DIFFERENT = [
  /(?<=chk_(?:test|live)_|ch[wtos]_|#welcome=)[\w-]{20,}/g,
  /(?<=\b(?:ep|msg)_)\w{20,}/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
  /\b[0-9a-f]{32}(?:-\d+)?\b/g,
  /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /(?<="(?:changedAt|occurredAt|expiresAt|createdAt)":)\d+/g,
  /(?<=127\.0\.0\.1:)\d+/g,
  /(?<="requestId":")[\w-]+/g,
  /\b\d+(?= ms\b)/g,
  /(?<=\s)\/[\w./-]+(?=\/(?:data$|\.config\/))/gm,
]

/** Replaces varying output by `…`. */
export const lasting = (printed: string): string =>
  DIFFERENT.reduce((text, what) => text.replaceAll(what, '…'), printed)

/** Secrets, and folders of this machine. A recording keeps all other output. */
const PRIVATE = [DIFFERENT[0], DIFFERENT.at(-1)].flatMap((what) => what ?? [])
export const withoutSecrets = (printed: string): string =>
  PRIVATE.reduce((text, what) => text.replaceAll(what, '…'), printed)

/** Returns the commands of a page as a terminal shows them, with their output. Programs that a command writes are left out. */
export const transcriptOf = (steps: readonly Step[], printed: readonly string[]): string =>
  steps
    .map(({ commands }, index) => {
      const shown = commands.replaceAll(/(<<'END'\n).*?(?=^END$)/gms, '$1…\n').replaceAll(/^/gm, '> ')
      return `$${shown.slice(1).replace(/\n> $/, '\n')}${lasting(printed[index] ?? '').replaceAll(/[ \t]+$/gm, '')}\n`
    })
    .join('')
