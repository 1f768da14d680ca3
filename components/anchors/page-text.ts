/** The text of an element, with runs of white space as one space, and a map from its positions to those of the page. */

export interface PageText {
  text: string
  /** Returns the range of the page from one position of the text to another; undefined when the page has changed since. */
  rangeOf(start: number, end: number): Range | undefined
  /** Returns the position of a point of the page; undefined when it is outside of the element. */
  positionOf(node: Node, offset: number): number | undefined
}

const SKIPPED = 'script, style, noscript, template, textarea, commonhold-comments, commonhold-inbox'

export function readPageText(root: Element): PageText {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(SKIPPED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  )
  const nodes: Text[] = []
  /** The position of the first character of each node. */
  const starts: number[] = []
  /** The offset of each character of the text in its node. */
  const offsets: number[] = []
  let text = ''
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (!(node instanceof Text)) continue
    nodes.push(node)
    starts.push(text.length)
    let kept = ''
    let isAfterSpace = text === '' || text.endsWith(' ')
    for (let offset = 0; offset < node.data.length; offset++) {
      const isSpace = /\s/.test(node.data[offset] ?? '')
      if (isSpace && isAfterSpace) continue
      kept += isSpace ? ' ' : node.data[offset]
      offsets.push(offset)
      isAfterSpace = isSpace
    }
    text += kept
  }

  /** Returns the index of the last node that starts at or before a position and has text there. */
  const nodeAt = (position: number): number => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  const pointOf = (position: number): { node: Text; offset: number } | undefined => {
    const node = nodes[nodeAt(position)]
    const offset = offsets[position]
    return node === undefined || offset === undefined || offset >= node.length ? undefined : { node, offset }
  }

  return {
    text,
    rangeOf(start, end) {
      const first = pointOf(start)
      const last = pointOf(end - 1)
      if (first === undefined || last === undefined) return undefined
      const range = document.createRange()
      range.setStart(first.node, first.offset)
      range.setEnd(last.node, last.offset + 1)
      return range
    },
    positionOf(node, offset) {
      if (!root.contains(node)) return undefined
      const point = document.createRange()
      point.setStart(node, offset)
      // The first node that ends after the point has the position, or one after it.
      for (const [index, one] of nodes.entries()) {
        if (point.comparePoint(one, one.length) < 0) continue
        const start = starts[index] ?? 0
        const end = starts[index + 1] ?? text.length
        for (let position = start; position < end; position++)
          if (point.comparePoint(one, offsets[position] ?? 0) >= 0) return position
        return end
      }
      return text.length
    },
  }
}
