/** Finds the fenced blocks of a page, each with the note in the comment above it, which readers do not see. */

/**
 * - `not run: REASON`: no test runs the block.
 * - `run by: FILE`: a test of its own runs or checks the block.
 * - `saved as: FILE`: the page says to save it; several blocks of one file are one text.
 * - `stays open`: the reader runs it in another terminal, or stops it by hand.
 */
export type Note = 'not run' | 'run by' | 'saved as' | 'stays open'

export interface Block {
  /** The line of the fence. */
  line: number
  language: string
  content: string
  /** A comment `<!-- sh` with commands for what the page says in words, such as waiting. */
  isHidden: boolean
  note: Note | undefined
  /** The text of the note after its colon. */
  words: string
}

const NOTE = String.raw`<!-- (?<note>not run|run by|saved as|stays open)(?:: (?<words>[^\n]+?))? -->\n`
const FENCE = String.raw`(?<fence>\x60{3,})(?<language>\w*)\n(?<content>.*?)^\k<fence>$`
const HIDDEN = String.raw`<!-- sh\n(?<hidden>.*?)^-->$`
const BLOCK = new RegExp(`^(?:${NOTE})?(?:${FENCE}|${HIDDEN})`, 'gms')

export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(BLOCK)].map(({ index, groups = {} }) => ({
    line: page.slice(0, index).split('\n').length + (groups.note === undefined ? 0 : 1),
    language: groups.language ?? 'sh',
    content: groups.content ?? groups.hidden ?? '',
    isHidden: groups.hidden !== undefined,
    note: groups.note as Note | undefined,
    words: groups.words ?? '',
  }))

/** Languages of blocks that show the output of the block before them. */
const SHOWN: readonly string[] = ['text', 'json']

/** How a block is tested; undefined if it is not, which is a fault of the page. */
export type Fate = 'excused' | 'saved' | 'shown' | 'commands' | 'program'

/** Returns for each block how it is tested. A block that shows output belongs to the last block before it that runs. */
export function fatesOf(blocks: readonly Block[]): (Fate | undefined)[] {
  let last: Fate | undefined
  return blocks.map((block) => {
    const fate = fateOf(block, last)
    if (fate !== 'saved') last = fate
    return fate
  })
}

function fateOf({ language, note }: Block, last: Fate | undefined): Fate | undefined {
  if (note === 'not run' || note === 'run by') return 'excused'
  if (note === 'saved as') return 'saved'
  if (language === 'sh') return 'commands'
  if (language === 'ts') return 'program'
  return SHOWN.includes(language) && (last === 'commands' || last === 'program') ? 'shown' : undefined
}
