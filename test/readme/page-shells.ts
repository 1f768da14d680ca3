/**
 * Finds what zsh, the shell of macOS, does not understand in the commands of pages. At its prompt, `#` is a word like any
 * other, a pattern that matches no file is an error, so `permission.*` must be quoted, and `path` is the list in `PATH`.
 */
import { blocksOf } from '#testing/pages/blocks.ts'

/** Here-documents and quoted texts, which may span lines. */
const QUOTED = /<<'(\w+)'.*?^\1$|'[^']*'|"(?:\\.|[^"\\])*"/gms

const COMMENT = /(?:^|\s)#/
/** A word with a star or an index in it, which is no path: patterns of paths find the files of the page. */
const PATTERN = /(?:^|\s)(?!\S*[/$])[\w.=-]+(?:\*|\[)\S*/

/** A variable with a meaning of its own in zsh. */
const SPECIAL = /(?:\b(?:for|read|local)\s+|(?:^|[\s;(]))(?:path|status|prompt|argv)(?:=|\s+in\b)/

const ONLY_BASH = [COMMENT, PATTERN, SPECIAL]

export const onlyForBash = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language, isHidden }) => language === 'sh' && !isHidden)
    .flatMap(({ content, line }) =>
      content
        .replace(QUOTED, (quoted) => `''${quoted.replace(/[^\n]/g, '')}`)
        .split('\n')
        .map((command, index) => ({ command, at: line + 1 + index }))
        .filter(({ command }) => ONLY_BASH.some((pattern) => pattern.test(command)))
        .map(({ command, at }) => `${at}: ${command}`),
    )
