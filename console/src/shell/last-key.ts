/** Remembers the API key that was last open in this browser. It is an identifier, not a secret. */
const NAME = 'commonhold-last-key'

export const lastKey = (): string | null => localStorage.getItem(NAME)

export const rememberLastKey = (apiKey: string): void => localStorage.setItem(NAME, apiKey)
