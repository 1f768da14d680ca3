/** Reads the blocks of code in the guides to changing the repository, and applies them to a copy of the repository. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from '../../scripts/root.ts'

interface Block {
  how: 'new' | 'in'
  file: string
  place?: 'before' | 'after' | 'instead of'
  /** The beginning of the line. */
  line?: string
  code: string
}

/** The first line of a block, a comment, says what to do with it: `new FILE`, `in FILE`, or `in FILE, before: LINE`. */
const BLOCK =
  /^```(?:tsx?|css)\n(?:\/\/|\/\*) (?<how>new|in) (?<file>[^\s,]+)(?:, (?<place>before|after|instead of): (?<line>[^\n]+?))?(?: \*\/)?\n(?<code>.*?)^```$/gms

export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(BLOCK)].map(({ groups }) => groups as unknown as Block)

/** Returns the file with the block applied. A block without a position is in the file already. */
function applied({ how, file, place, line, code }: Block, text: string): string {
  if (how === 'new') {
    assert.equal(text, '', `${file} exists already`)
    return code
  }
  if (place === undefined || line === undefined) {
    assert.ok(text.includes(code), `${file} no longer has the block of the guide`)
    return text
  }
  const lines = text.split('\n')
  const found = lines.flatMap((one, index) => (one.trimStart().startsWith(line) ? [index] : []))
  assert.equal(found.length, 1, `${file} has ${found.length} lines that begin with ${line}`)
  const [at = 0] = found
  return lines
    .toSpliced(place === 'after' ? at + 1 : at, place === 'instead of' ? 1 : 0, code.replace(/\n$/, ''))
    .join('\n')
}

/** Returns the texts of the files with the blocks of a page. */
export function filesOf(page: string): Map<string, string> {
  const written = new Map<string, string>()
  for (const block of blocksOf(page)) {
    const file = path.join(ROOT, block.file)
    const text = written.get(block.file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '')
    written.set(block.file, applied(block, text))
  }
  return written
}

/** Runs a program of the packages or of the repository in the copy; it must succeed. */
export type RunInCopy = (program: string, ...args: string[]) => void

/** Copies the repository with the blocks of a page, and calls `work` in it. */
export function inCopy(page: string, work: (run: RunInCopy) => void): void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-guide-'))
  try {
    const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
    for (const file of String(stdout).split('\0'))
      if (file !== '' && existsSync(path.join(ROOT, file))) cpSync(path.join(ROOT, file), path.join(folder, file))
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    for (const [file, text] of filesOf(page)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), text)
    }
    work((program, ...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder })
      assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const TSC = 'node_modules/typescript/bin/tsc'
