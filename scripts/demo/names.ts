/** Turns names into ids, and texts into lists. */

/** Turns `Drive train` into `drive-train`, and with `.` as separator `Zoë Müller` into `zoe.muller`. */
export const slug = (name: string, separator = '-'): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, separator)

export const words = (text: string): string[] => text.split(', ')
