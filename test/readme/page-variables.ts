/** Finds variables in the commands of a page that the reader does not have: nothing before sets or names them. */
import { blocksOf } from '#testing/pages/blocks.ts'

/** The variables of every shell, and those of a shell with a server of its own (`dev bash`). */
const GIVEN = /^(HOME|PATH|PWD|PORT|COMMONHOLD_\w+)$/

/** Text in single quotes and quoted here-documents, which the shell passes on as it is. */
const LITERAL = /<<'(\w+)'.*?^\1$|'[^']*'/gms
const USED = /\$\{?([A-Z][A-Z0-9_]*)(?!\w|:?-)/g
const SET = /(?:^|[\s;(])([A-Z][A-Z0-9_]*)=|\b(?:for|read(?: -\w+)*) ([A-Z][A-Z0-9_]*)/g

/** Returns the variables that a block uses before the page sets them or tells the reader to. */
export function unknownVariables(page: string): string[] {
  const known = new Set<string>()
  const lines = page.split('\n')
  return blocksOf(page)
    .filter(({ language, note }) => language === 'sh' && note !== 'not run')
    .flatMap(({ content, line, note }) => {
      const before = lines.slice(0, line - 1).join('\n')
      const commands = content.replace(LITERAL, "''")
      const own = new Set([...commands.matchAll(SET)].map(([, assigned, read]) => assigned ?? read ?? ''))
      // Other terminals do not have what is set in this one, and the reverse.
      if (note !== 'stays open') for (const name of own) known.add(name)
      const has = (name: string) => own.has(name) || (note !== 'stays open' && known.has(name))
      const used = new Set([...commands.matchAll(USED)].map(([, name = '']) => name))
      return [...used]
        .filter((name) => !GIVEN.test(name) && !has(name) && !before.includes(`\`${name}\``))
        .map((name) => `${line}: nothing before says what ${name} is`)
    })
}
