/** The addresses of pages with threads, as callers give them. */

/** The parameter by which front ends of the hosted original find a thread on its page. */
export const COMMENT_PARAMETER = 'scommentId'

/** Returns the address if a browser may open it. */
export function webAddress(text: unknown): URL | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' ? url : undefined
}
