/** The API key that was looked at last in this browser. It names a data set and is no secret. */
const NAME = 'commonhold-last-key'

export const lastKey = (): string | null => localStorage.getItem(NAME)

export const keepLastKey = (apiKey: string): void => localStorage.setItem(NAME, apiKey)
