/**
 * Keeps code on pages equal to the files it is from. A link to a file, alone in its paragraph with a colon, is followed by a block
 * with the contents of the file, perhaps under a comment.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../root.ts'

const EMBEDDED = /^(\[[^\]]+\]\(([^)]+)\):\n\n(?:<!-- [^\n]* -->\n)?```\w*\n)(.*?)(?=^```$)/gms

/** Returns the page with the present contents of the files that it embeds. */
export function withEmbeddedFiles(page: string): string {
  const folder = path.join(ROOT, path.dirname(page))
  return readFileSync(path.join(ROOT, page), 'utf8').replace(
    EMBEDDED,
    (_block, head: string, file: string) => head + readFileSync(path.join(folder, file), 'utf8'),
  )
}
