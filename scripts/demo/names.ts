/** How names become ids, and lists of words. */

/** `Zoë Müller` → `zoe.muller`; `Drive train` → `drive-train`. */
export const slug = (name: string, separator = '-'): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, separator)

export const words = (text: string): string[] => text.split(', ')
