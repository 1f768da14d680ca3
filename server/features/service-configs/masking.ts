/** How a stored secret is shown to those who may change it: enough to tell which one it is, not enough to use it. */
const ASTERISKS = '********'

/** Where four characters are a small part of the secret. */
const LONG = 16

export const masked = (secret: string): string =>
  secret === '' ? '' : ASTERISKS + (secret.length < LONG ? '' : secret.slice(-4))

/** Whether a text has the form of a mask. */
export const isMask = (text: string): boolean => /^\*{8}(.{4})?$/s.test(text)

/** For events: only whether there is one. */
export const hidden = (secret: string): string => (secret === '' ? '' : ASTERISKS)
