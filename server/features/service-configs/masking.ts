/** Masks stored secrets: enough is visible to recognize a secret, not enough to use it. */
const ASTERISKS = '********'

/** From this length on, four visible characters are a small part of the secret. */
const LONG = 16

export const masked = (secret: string): string =>
  secret === '' ? '' : ASTERISKS + (secret.length < LONG ? '' : secret.slice(-4))

/** Returns whether a text has the form of a mask. */
export const isMask = (text: string): boolean => /^\*{8}(.{4})?$/s.test(text)

/** Returns the mask for events, which shows only whether there is a secret. */
export const hidden = (secret: string): string => (secret === '' ? '' : ASTERISKS)
