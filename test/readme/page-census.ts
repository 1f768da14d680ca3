/** Finds the pages whose blocks run, and faults in the comments about their blocks. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { blocksOf, fatesOf } from '#testing/pages/blocks.ts'
import { ROOT } from '../../scripts/root.ts'
import { files, read } from '../repository/sources.ts'

export const PAGES = ['README.md', ...files('docs/guides/*.md')]

/** Pages that another test runs, because it also records their output. */
const RECORDED = ['docs/guides/move-from-a-hosted-service.md']

/** Returns the pages that have blocks to run and that no other test runs. */
export const followedPages = (): string[] =>
  PAGES.filter((page) => !RECORDED.includes(page) && fatesOf(blocksOf(read(page))).some((fate) => fate === 'commands'))

/** Returns the faults in the blocks of a page: a block that no test runs and no comment excuses, or a comment that says too little. */
export function faultsOf(page: string, text: string): string[] {
  const blocks = blocksOf(text)
  const fates = fatesOf(blocks)
  const faults = blocks.flatMap(({ line, language, note, words }, index) => {
    const at = `${page}:${line}`
    if (fates[index] === undefined) return [`${at} is a block of ${language || 'no language'} that nothing runs`]
    if (note === 'not run' && words.split(' ').length < 4) return [`${at} does not say why it is not run`]
    if (note === 'run by' && !names(words, page)) return [`${at} is run by ${words}, which does not name the page`]
    return note === 'saved as' && words === '' ? [`${at} does not say where it is saved`] : []
  })
  const fences = text.match(/^ *(`{3,}|~{3,})/gm)?.length ?? 0
  const found = blocks.filter(({ isHidden }) => !isHidden).length
  return fences === 2 * found
    ? faults
    : [...faults, `${page} has ${fences} fences and ${found} blocks that can be read`]
}

const names = (test: string, page: string): boolean =>
  /^test\/.*\.test\.ts$/.test(test) &&
  existsSync(path.join(ROOT, test)) &&
  read(test).includes(path.basename(page, '.md'))
