/** The guide to adding a console view can be followed: its blocks fit the console, and the result has no type errors. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { FULL } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { read } from './sources.ts'

const GUIDE = 'docs/guides/add-a-console-view.md'
const guide = read(GUIDE)

interface Block {
  how: string
  file: string
  before: string | undefined
  code: string
}

/** The first line of a block says what to do with it: `// new FILE`, `// in FILE` or `// in FILE, before: TEXT`. */
const blocks = [
  ...guide.matchAll(
    /^```tsx?\n\/\/ (?<how>new|in) (?<file>[^\s,]+)(?:, before: (?<before>[^\n]+))?\n(?<code>.*?)^```$/gms,
  ),
].map(({ groups }) => groups as unknown as Block)

/** Returns the file with the block applied. */
function applied({ how, file, before, code }: Block, text: string): string {
  if (how === 'new') {
    assert.equal(text, '', `${file} exists already`)
    return code
  }
  if (before === undefined) {
    assert.ok(text.includes(code), `${file} no longer has the block of the guide`)
    return text
  }
  const lines = text.split('\n')
  const places = lines.flatMap((line, index) => (line.trimStart().startsWith(before) ? [index] : []))
  assert.equal(places.length, 1, `${file} has ${places.length} lines that begin with ${before}`)
  return lines.toSpliced(places[0] ?? 0, 0, code.replace(/\n$/, '')).join('\n')
}

function consoleOfTheGuide(): Map<string, string> {
  const written = new Map<string, string>()
  for (const block of blocks) {
    const file = path.join(ROOT, block.file)
    const text = written.get(block.file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '')
    written.set(block.file, applied(block, text))
  }
  return written
}

describe(GUIDE, () => {
  it('names files that exist', () => {
    const named = [...guide.matchAll(/`((?:console|test|scripts)\/[\w./-]+)`/g)].map(([, file = '']) => file)
    assert.ok(named.length > 8)
    assert.deepEqual(
      named.filter((file) => !existsSync(path.join(ROOT, file))),
      [],
    )
  })

  it('has blocks that fit the console', () => {
    assert.equal(blocks.length, 5)
    assert.equal(consoleOfTheGuide().size, 4)
  })

  // Checking the types of the whole console takes seven seconds of CPU.
  it.runIf(FULL)('leads to a console without type errors', () => {
    // Outside the repository, the console would not find its packages.
    const folder = mkdtempSync(path.join(ROOT, 'node_modules/.cache/console-view-'))
    try {
      cpSync(path.join(ROOT, 'console/src'), path.join(folder, 'console/src'), { recursive: true })
      for (const name of ['console/tsconfig.json', 'console/vite.config.ts', 'tsconfig.json', 'package.json'])
        cpSync(path.join(ROOT, name), path.join(folder, name))
      for (const name of ['sdk', 'contract', 'scripts']) symlinkSync(path.join(ROOT, name), path.join(folder, name))
      for (const [file, text] of consoleOfTheGuide()) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
        writeFileSync(path.join(folder, file), text)
      }
      const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc')
      const checked = spawnSync(process.execPath, [tsc, '--checkers', '1', '-p', path.join(folder, 'console')])
      assert.equal(checked.status, 0, String(checked.stdout))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
